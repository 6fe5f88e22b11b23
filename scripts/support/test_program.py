"""Runs the program that has all tests, in several parts."""
import pathlib
import subprocess

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
WITH_SERVERS = ["Integration", "Torture"]
WITH_SERVERS_PARTS = [["--filter", f"^{name}Tests", WIDTH, "24"] for name in WITH_SERVERS]
UNIT_PARTS = [
    ["--skip", f"^({'|'.join(['AMQPClient', 'PostgresClient', 'Store', *APART, SIMULATION, *WITH_SERVERS])})Tests"],
    CLIENTS,
    *(["--filter", f"^{name}Tests"] for name in [*APART, SIMULATION])]
PARTS = [*UNIT_PARTS, *WITH_SERVERS_PARTS]


def run_part(run: Run, build: pathlib.Path, arguments: list[str], report: Report) -> bool:
    """Runs the tests that `arguments` select, from a folder with a build."""
    # The program is run directly, because `swift test` would not pass on a signal.
    command = [build / "martletPackageTests.xctest", "--testing-library", "swift-testing", *arguments]
    is_simulation = any(SIMULATION in argument for argument in arguments)
    process = run.popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env=run.environment | FIXED_ORDER if is_simulation else run.environment)
    try:
        for line in process.stdout:
            print(line, end="", flush=True)
            report.read(line)
    except BaseException:
        end(process)
        raise
    code = run.wait(process)
    if code != 0:
        report.failures.append(f"{describe(command)} ended with {code}")
    return code == 0


def run_parts(run: Run, build: pathlib.Path, parts: list[list[str]], report: Report) -> bool:
    run.step("tests")
    return all([run_part(run, build, part, report) for part in parts])
