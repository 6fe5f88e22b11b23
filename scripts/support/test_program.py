"""Runs the program that has all tests, in several parts."""
import pathlib
import subprocess
import threading

from .orchestration import Run, describe, end
from .test_report import Report

# On a slow machine, more tests at once would delay the answers of the servers and the start of workers.
WIDTH = "--experimental-maximum-parallelization-width"
# Tests of the clients of the broker and the database.
CLIENTS = ["--filter", "^(AMQPClient|PostgresClient|Store)Tests", WIDTH, "16"]
# Tests that open connections. They run apart from tests that need the CPU.
APART = ["(APNS|FCM|Push|WebPush)Simulator", "APNSOutput", "FCMOutput", "(WebPush|Webhook)Output", "OutputConformance"]
# A simulated history repeats itself only if the order of a dictionary's elements does.
SIMULATION, FIXED_ORDER = "Simulation", {"SWIFT_DETERMINISTIC_HASHING": "1"}
# Suites whose tests run one after the other, because they stop or configure their servers.
IN_SEQUENCE = r"^IntegrationTests\.(PrivateServer|BrokersPage)Tests/"
# The suites in sequence take as long as all other integration tests, so they run beside them. In one process, they would start
# after the others, because the limit on tests at once also applies to them.
INTEGRATION = (["--filter", "^IntegrationTests", "--skip", IN_SEQUENCE, WIDTH, "24"], ["--filter", IN_SEQUENCE])
UNIT_PARTS = [
    ["--skip", f"^({'|'.join(['AMQPClient', 'PostgresClient', 'Store', *APART, SIMULATION, 'Integration', 'Torture'])})Tests"],
    CLIENTS,
    *(["--filter", f"^{name}Tests"] for name in [*APART, SIMULATION])]
WITH_SERVERS_PARTS = [INTEGRATION, ["--filter", "^TortureTests", WIDTH, "24"]]
PARTS = [*UNIT_PARTS, *WITH_SERVERS_PARTS]


def run_part(run: Run, build: pathlib.Path, *selections: list[str], report: Report) -> bool:
    """Runs the tests of a folder with a build. Each selection is the arguments of a process, and all processes run at once."""
    reports = [Report() for _ in selections]
    processes = []
    try:
        # All processes are started by this thread, because they end with the thread that started them.
        for arguments in selections:
            processes.append(start(run, build, arguments))
        readers = [
            threading.Thread(target=forward, args=(process, each), daemon=True) for process, each in zip(processes, reports)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
    except BaseException:
        for process in processes:
            end(process)
        raise
    codes = [run.wait(process) for process in processes]
    for each, process, code in zip(reports, processes, codes):
        if code != 0:
            each.failures.append(f"{describe(process.args)} ended with {code}")
        report.add(each)
    return not any(codes)


def start(run: Run, build: pathlib.Path, arguments: list[str]) -> subprocess.Popen:
    # The program is run directly, because `swift test` would not pass on a signal.
    is_simulation = any(SIMULATION in argument for argument in arguments)
    return run.popen(
        [build / "martletPackageTests.xctest", "--testing-library", "swift-testing", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env=run.environment | FIXED_ORDER if is_simulation else run.environment)


def forward(process: subprocess.Popen, report: Report) -> None:
    """Prints the lines of a process, and adds its failures to the report."""
    for line in process.stdout:
        print(line, end="", flush=True)
        report.read(line)


def run_parts(run: Run, build: pathlib.Path, parts: list, report: Report) -> bool:
    """Runs parts one after the other. A part is the arguments of a process, or a tuple of them."""
    run.step("tests")
    return all([run_part(run, build, *(part if isinstance(part, tuple) else [part]), report=report) for part in parts])
