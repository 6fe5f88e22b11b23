"""Measures twenty healthy apps alone and then together with bad ones: one that floods the lane, one whose host hangs, and one
whose credential is refused."""
import time

from support.local_services.processes import free_port
from support.orchestration import MARTLET, end

from aside import Aside, publish_all
import measure
from outcomes import Outcomes, Probe
from workload import KEY_ID, TEAM, job

HEALTHY = [f"com.example.healthy{number:02}" for number in range(20)]
FLOOD, HANGING, REFUSED = "com.example.flood", "com.example.hanging", "com.example.refused"
OTHER_TEAM, OTHER_KEY = "TEAMOTHER1", "KEYOTHER12"
# The rate of all healthy apps together. Each job has one recipient.
JOBS_A_SECOND = 200
SECONDS = 40
# The phases, in order: the name; the flood that starts in this phase (the number of jobs, and the recipients of a job),
# or None; and the bad app that starts in this phase and continues until the end, or None.
PHASES = (
    ("healthy apps alone", None, None),
    ("beside a flood, jobs of 100", (15_000, 100), None),
    ("beside a flood, jobs of one", (200_000, 1), None),
    ("flood and a host that hangs", (15_000, 100), HANGING),
    ("flood, hanging host, refused credential", (15_000, 100), REFUSED))
# The jobs per second of each of the two bad apps, and the recipients of a job.
BAD_JOBS_A_SECOND, BAD_SIZE = 100, 1
ANSWER_DELAY_MS = 50


class Numbers:
    """Allocates ranges of recipients."""

    def __init__(self):
        self.stop = 0

    def take(self, count: int) -> range:
        self.stop += count
        return range(self.stop - count, self.stop)


def measure_neighbours(bench) -> None:
    run, url = bench.run, bench.run.environment["MARTLET_TEST_AMQP_URL"]
    sandbox, sandbox_control = free_port(None, bench.taken), free_port(None, bench.taken)
    other_key = run.directory / "AuthKey-other.p8"
    run.run(["openssl", "genpkey", "-quiet", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", other_key])
    run.step("register the apps")
    for app in (*HEALTHY, FLOOD):
        run.output([MARTLET, "app", "set", app, "--team", TEAM, "--environment", "production", "--config", bench.config])
    for app, team, environment in ((HANGING, TEAM, "sandbox"), (REFUSED, OTHER_TEAM, "production")):
        run.output([MARTLET, "app", "set", app, "--team", team, "--environment", environment, "--config", bench.config])
    run.output([MARTLET, "credential", "import", other_key, "--team", OTHER_TEAM, "--key-id", OTHER_KEY, "--config", bench.config])
    simulator = bench.start_simulator("sandbox-simulator", sandbox, sandbox_control,
                                      f"{TEAM}:{KEY_ID}:{bench.key}", environment="sandbox")
    bench.tell_simulator(bench.control, "POST", "/keys", team=OTHER_TEAM, key_id=OTHER_KEY, pem=other_key.read_text())
    bench.tell_simulator(bench.control, "PUT", "/faults/standing", answer_delay_ms=ANSWER_DELAY_MS)

    numbers = Numbers()
    healthy = numbers.take(JOBS_A_SECOND * (SECONDS + 5) * len(PHASES))
    floods = [numbers.take(jobs * size) for jobs, size in (flood or (0, 1) for _, flood, _ in PHASES)]
    begun = {app: place for place, (_, _, app) in enumerate(PHASES) if app}
    bad = {app: numbers.take(BAD_JOBS_A_SECOND * BAD_SIZE * SECONDS * (len(PHASES) - place)) for app, place in begun.items()}
    with Outcomes(bench.broker, url, numbers.stop) as outcomes:
        worker = bench.start_worker(f"apns.endpoint.sandbox=127.0.0.1:{sandbox}", "retry.delays=5,30")
        # The first pushes open connections.
        probe = Probe(outcomes, range(healthy.start, healthy.stop)).run(
            1 / JOBS_A_SECOND, 2, lambda number: publish_healthy(bench.broker, number))
        outcomes.wait_for(probe.used, run, 30)
        for app, recipients in bad.items():
            bench.broker.publish("normal", job(f"{app}-first", [recipients.start], app=app))
            outcomes.wait_for(range(recipients.start, recipients.start + 1), run, 30)
        alone, others = None, []
        for (name, flood, app), part in zip(PHASES, floods):
            run.step(f"{name}, for {SECONDS} s")
            if app == HANGING:
                bench.tell_simulator(sandbox_control, "PUT", "/faults/standing", silence="answers")
            if app == REFUSED:
                bench.tell_simulator(bench.control, "POST", "/keys/refuse", key_id=OTHER_KEY, reason="InvalidProviderToken")
            if app:
                others.append(Aside(f"the publisher of {app}", publish_steadily, url, app, bad[app]))
            if flood:
                others.append(Aside("the flood", publish_all, url, "normal", (
                    job(f"flood-{first}", range(first, first + flood[1]), app=FLOOD) for first in part[::flood[1]])))
            start = time.monotonic()
            probe = Probe(outcomes, range(probe.next, healthy.stop)).run(
                1 / JOBS_A_SECOND, SECONDS, lambda number: publish_healthy(bench.broker, number),
                go_on=lambda: run.check_background() is None)
            end_of_phase = time.monotonic()
            outcomes.wait_for(probe.used, run, 120)
            outcomes.wait_for(part, run, 120)
            seconds, latencies = end_of_phase - start, probe.latencies()
            alone = alone or latencies
            bench.row(name, str(latencies), f"{outcomes.came_between(probe.used, start, end_of_phase) / seconds:.1f} of "
                      f"{len(probe.used) / seconds:.1f} a second", latencies.at(0.99) / alone.at(0.99), "", True)
            if flood:
                bench.row("  the flood", f"{len(part) / outcomes.span(part):.0f} a second", f"{outcomes.span(part):.0f} s", None,
                          "", True)
            print(f"          {name}: {latencies}; the worst second: {worst_second(outcomes, probe)}", flush=True)
        run.step("repair the bad apps, and wait for the remaining outcomes")
        for publisher in others:
            publisher.wait(120)
        bench.tell_simulator(sandbox_control, "DELETE", "/faults/standing")
        bench.tell_simulator(bench.control, "POST", "/keys/refuse", key_id=OTHER_KEY)
        everybody = [range(healthy.start, probe.next), *floods, *bad.values()]
        for recipients in everybody:
            outcomes.wait_for(recipients, run, 400)
        told = {outcomes.told(recipients) for recipients in everybody}
        bench.row("outcomes of all recipients", "; ".join(sorted(told)), "", None, "each once", told == {"each once"})
        bench.row("worker's peak memory", f"{measure.peak_memory_mb(worker.pid):.0f} MB", "", None, "", True)
        bench.stop_worker(worker)
    end(simulator, patience=10)
    run.background = [entry for entry in run.background if entry[1] is not simulator]
    bench.tell_simulator(bench.control, "DELETE", "/faults/standing")


def publish_healthy(broker, number: int) -> None:
    broker.publish("normal", job(f"healthy-{number}", [number], app=HEALTHY[number % len(HEALTHY)]))


def publish_steadily(url: str, app: str, recipients: range) -> None:
    broker, started = measure.Broker(url), time.monotonic()
    # The first job has been published already.
    for place, first in enumerate(range(recipients.start + 1, recipients.stop, BAD_SIZE)):
        time.sleep(max(0, started + place / BAD_JOBS_A_SECOND - time.monotonic()))
        broker.publish("normal", job(f"{app}-{first}", range(first, min(first + BAD_SIZE, recipients.stop)), app=app))


def worst_second(outcomes: Outcomes, probe: Probe) -> str:
    """Describes the second with the highest average latency. Pushes are grouped by the time of their publishing."""
    seconds: dict[int, list[float]] = {}
    for number, at in zip(probe.used, probe.published):
        seconds.setdefault(int(at - probe.published[0]), []).append(outcomes.at[number] - at)
    second, taken = max(seconds.items(), key=lambda entry: sum(entry[1]) / len(entry[1]))
    return f"{sum(taken) / len(taken) * 1000:.0f} ms on average, {second} s after the beginning"
