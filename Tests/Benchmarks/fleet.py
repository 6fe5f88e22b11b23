"""Measures scaling out with a distant provider: one, two, four and eight workers from the start, three workers that join one in
the middle of a campaign, and a new app in a lane that another app had to itself."""
import time
import urllib.request

from support.local_services.processes import free_port
from support.orchestration import MARTLET, end

from outcomes import Outcomes, Probe
from workload import TEAM, job

JOBS, SIZE = 800, 500
# There are many more small jobs than a worker prefetches from the lane. Their size allows a worker to send all
# prefetched jobs at the same time.
OTHER_LANE, SMALL_JOBS, SMALL_SIZE, NEWCOMERS = "bulk", 3_000, 100, 20
NEWCOMER = "com.example.newcomer"
COUNT = JOBS * SIZE
# Each worker has few connections, so that this machine limits a fleet of eight workers as little as possible.
ANSWER_DELAY_MS, CONNECTIONS = 150, 3
LANE = "normal"
ALONE_SECONDS = 3


class Member:
    """A worker of the fleet."""

    def __init__(self, bench, number: int):
        self.bench, self.number = bench, number
        self.port = free_port(None, bench.taken)
        self.process = bench.run.start(f"worker-{number}", [
            MARTLET, "worker", "--config", bench.config, "--set", f"worker.name=bench-{number}", "--set",
            f"http.listen=127.0.0.1:{self.port}", "--set", f"apns.maximum_connections={CONNECTIONS}"])
        self.ready: float | None = None
        self.first: float | None = None

    def look(self) -> None:
        """Records when the worker became ready, and when it sent its first push."""
        if self.ready is None and self.get("/ready") is not None:
            self.ready = time.monotonic()
        if self.ready is not None and self.first is None and self.sent > 0:
            self.first = time.monotonic()

    def get(self, path: str) -> str | None:
        """Returns the body of an answer with status 200, or None if there is no such answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as response:
                return response.read().decode()
        except OSError:
            return None

    @property
    def sent(self) -> int:
        lines = (self.get("/metrics") or "").splitlines()
        return next((int(line.split()[1]) for line in lines if line.startswith('martlet_outcomes_total{kind="sent"}')), 0)

    def stop(self) -> None:
        end(self.process, patience=60)
        self.bench.run.background = [entry for entry in self.bench.run.background if entry[1] is not self.process]


def measure_fleet(bench) -> None:
    bench.tell_simulator(bench.control, "PUT", "/faults/standing", answer_delay_ms=ANSWER_DELAY_MS)
    alone = None
    for workers in (1, 2, 4, 8):
        rate, _ = campaign(bench, f"{workers} from the start", workers, 0)
        alone = alone or rate
        bench.row(f"{workers} worker{'s' if workers > 1 else ''} from the start", f"{rate:.0f} a second", "", rate / alone, "", True)
    rate, joined = campaign(bench, f"1, and 3 that join after {ALONE_SECONDS} s", 1, 3)
    waits = [member.first - member.ready if member.first else None for member in joined]
    bench.row(f"1, and 3 after {ALONE_SECONDS} s", f"{rate:.0f} a second", "", rate / alone, "", True)
    bench.row("  first outcome after joining", ", ".join(f"{wait:.1f} s" if wait is not None else "never" for wait in waits), "", None,
              "within 5 s", all(wait is not None and wait <= 5 for wait in waits))
    bench.row("  share of those that joined", ", ".join(f"{member.share:.0%}" for member in joined), "", None, "", True)
    measure_newcomers(bench)
    bench.tell_simulator(bench.control, "DELETE", "/faults/standing")


def campaign(bench, what: str, from_start: int, late: int) -> tuple[float, list[Member]]:
    """Returns the pushes per second from the first outcome to the last, and the workers that joined late."""
    run = bench.run
    run.step(f"fleet: {JOBS} jobs of {SIZE}, {ANSWER_DELAY_MS} ms away, {what}")
    with Outcomes(bench.broker, run.environment["MARTLET_TEST_AMQP_URL"], COUNT) as outcomes:
        members = [Member(bench, number) for number in range(from_start)]

        def look_at_all() -> bool:
            for member in members:
                member.look()
            return all(member.ready for member in members)

        run.wait_for("the workers are ready", look_at_all, 30)
        for first in range(0, COUNT, SIZE):
            bench.broker.publish(LANE, job(f"fleet-{first}", range(first, first + SIZE)))
        run.wait_for("the first outcome", lambda: outcomes.total[0] > 0, 30)
        if late:
            time.sleep(ALONE_SECONDS)
            members += [Member(bench, from_start + number) for number in range(late)]
        run.wait_for("all outcomes", lambda: look_at_all() is not None and outcomes.are_there(range(COUNT)), 300)
        for member in members:
            member.look()
            member.share = member.sent / COUNT
        told = outcomes.told(range(COUNT))
        bench.row(f"  outcomes, {what}", told, "", None, "each once", told == "each once")
        rate = COUNT / outcomes.span(range(COUNT))
        for member in members:
            member.stop()
    return rate, members[from_start:]


def measure_newcomers(bench) -> None:
    run, count = bench.run, SMALL_JOBS * SMALL_SIZE
    run.step(f"fleet: a newcomer behind {SMALL_JOBS} jobs of {SMALL_SIZE} of another app")
    run.output([MARTLET, "app", "set", NEWCOMER, "--team", TEAM, "--environment", "production", "--config", bench.config])
    with Outcomes(bench.broker, run.environment["MARTLET_TEST_AMQP_URL"], count + NEWCOMERS) as outcomes:
        bench.broker.fill(OTHER_LANE, (
            job(f"fleet-{first}", range(first, first + SMALL_SIZE)) for first in range(0, count, SMALL_SIZE)), SMALL_JOBS)
        worker = Member(bench, 0)
        run.wait_for("the first outcome", lambda: outcomes.total[0] > 0, 30)
        probe = Probe(outcomes, range(count, count + NEWCOMERS)).run(
            0.2, 60, lambda number: bench.broker.publish(OTHER_LANE, job(f"newcomer-{number}", [number], app=NEWCOMER)))
        run.wait_for("all outcomes", lambda: outcomes.are_there(range(count + NEWCOMERS)), 300)
        worker.stop()
        latencies, told = probe.latencies(), outcomes.told(range(count + NEWCOMERS))
    bench.row(f"newcomer behind {SMALL_JOBS} jobs of {SMALL_SIZE}", str(latencies), "", None, "p50 within 3 s", latencies.at(0.5) <= 3)
    bench.row("  outcomes, newcomers and the others", told, "", None, "each once", told == "each once")
