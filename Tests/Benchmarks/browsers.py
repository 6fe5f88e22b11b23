"""Measures the CPU cost of messages to browsers in a whole worker, and compares it with that of their encryption alone."""
import json
import pathlib
import statistics
import time
import urllib.request

import measure
from support.local_services.processes import answers, free_port
from support.orchestration import MARTLET, SIMULATOR, end
from workload import APP

JOBS, RECIPIENTS = 60, 1_000
PAYLOAD = json.dumps({"title": "Tonight", "body": "x" * 165}, separators=(",", ":"))


def threads(pid: int) -> list[int]:
    """Returns the clock ticks that each thread of the process has used, highest first."""
    folder = pathlib.Path(f"/proc/{pid}/task")
    fields = ((task / "stat").read_text().rpartition(")")[2].split() for task in folder.iterdir())
    return sorted((int(field[11]) + int(field[12]) for field in fields), reverse=True)


def free_ports(taken: set[int], count: int) -> int:
    """Reserves `count` consecutive free ports and returns the first."""
    while True:
        first = free_port(None, taken)
        if all(not answers(first + place) for place in range(1, count)):
            taken.update(range(first, first + count))
            return first


def job(number: int, subscriptions: list[dict]) -> bytes:
    recipients = [{"subscription": subscription} for subscription in subscriptions]
    return json.dumps({"id": f"browsers-{number}", "app": APP, "output": "webpush", "payload": json.loads(PAYLOAD),
                       "recipients": recipients}, separators=(",", ":")).encode()


def worker(bench, program: pathlib.Path) -> None:
    run = bench.run
    directory = run.directory / "webpush"
    directory.mkdir(exist_ok=True)
    port, control = free_ports(bench.taken, 4), free_port(None, bench.taken)
    simulator = run.start("webpush-simulator", [
        SIMULATOR, "webpush", "--port", port, "--control-port", control, "--directory", directory])
    ca = directory / "ca.pem"
    run.wait_for("the simulator of push services is up", lambda: ca.exists() and answers(control), 20)
    created = json.loads(run.output([
        MARTLET, "credential", "create", "--vapid", "bench", "--subject", "mailto:bench@yourdomain.com", "--json", "--config",
        bench.config]))
    run.run([MARTLET, "app", "set", APP, "--vapid", "bench", "--config", bench.config])
    wish = {"persona": "google", "application_server_key": created["shown"]["application_server_key"],
            "count": JOBS * RECIPIENTS}
    request = urllib.request.Request(f"http://127.0.0.1:{control}/subscriptions", data=json.dumps(wish).encode())
    with urllib.request.urlopen(request, timeout=300) as answer:
        subscriptions = json.load(answer)
    origin = subscriptions[0]["endpoint"].split("/")[2]
    jobs = [job(number, subscriptions[number * RECIPIENTS:(number + 1) * RECIPIENTS]) for number in range(JOBS)]
    floors, costs, rates, shares = [], [], [], []
    for number in range(bench.rounds):
        run.step(f"messages to browsers, round {number + 1} of {bench.rounds}")
        floors.append(json.loads(run.output([program, "webpush-floor", "--bytes", str(len(PAYLOAD))]))["cpu_us_per_message"])
        cost, rate, share = drain(bench, jobs, f"webpush.private_hosts={origin}", f"webpush.ca_file={ca}")
        costs.append(cost)
        rates.append(rate)
        shares.append(share)
    end(simulator)
    run.background = [entry for entry in run.background if entry[1] is not simulator]
    value, floor = statistics.median(costs), statistics.median(floors)
    bench.row("Web Push, whole worker, CPU a message", f"{value:.1f} µs", f"encryption {floor:.1f} µs", value / floor,
              "at most 1.25", value <= 1.25 * floor)
    share = statistics.median(shares)
    bench.row("  CPU of the second event loop, relative to the first", f"{share:.2f}", "", None, "at least 0.50", share >= 0.5)
    bench.row("  messages a second, with the simulator on the same machine", f"{statistics.median(rates):.0f}", "", None, "", True)


def drain(bench, jobs: list[bytes], *settings: str) -> tuple[float, float, float]:
    """Returns the CPU time of a message in µs, the messages per second, and the second busiest thread's CPU time divided by
    that of the busiest."""
    count = len(jobs) * RECIPIENTS
    bench.broker.bind_sink("bench.outcomes")
    bench.broker.fill("normal", jobs, len(jobs))
    worker = bench.start_worker("jobs.chunk_size=1000", *settings)
    started = time.monotonic()
    bench.broker.count_outcomes("bench.outcomes", count, bench.run.check_background, 600)
    seconds = time.monotonic() - started
    cost = measure.cpu_seconds(worker.pid) / count * 1e6
    busiest = threads(worker.pid)
    bench.stop_worker(worker)
    bench.broker.unbind_sink("bench.outcomes")
    return cost, count / seconds, busiest[1] / busiest[0]
