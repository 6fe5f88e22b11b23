"""Measures a worker's memory over time. Five million recipients wait, and the database is unavailable for two minutes."""
import time

import measure
from outcomes import Outcomes
from workload import ACCEPTED, DEAD, text, token

COUNT = 5_000_000
# Every hundredth push gets status 410, and its token must be marked dead.
DEAD_EVERY = 100
AWAY_SECONDS = 120
FORMS = (("jobs of 300", "normal", 300), ("jobs of 500,000", "bulk", 500_000))


def measure_memory(bench) -> None:
    for what, lane, size in FORMS:
        with Outcomes(bench.broker, bench.run.environment["MARTLET_TEST_AMQP_URL"], COUNT) as outcomes:
            measure_form(bench, outcomes, what, lane, size)


def measure_form(bench, outcomes: Outcomes, what: str, lane: str, size: int) -> None:
    run, everybody = bench.run, range(COUNT)
    run.step(f"{COUNT} recipients waiting in {what}, lane {lane}")
    jobs = -(-COUNT // size)
    bench.broker.fill(lane, (body(first, size) for first in everybody[::size]), jobs)
    worker = bench.start_worker()
    samples: list[tuple[float, float, int]] = []
    started = time.monotonic()

    def sample_until(condition, limit: float) -> None:
        deadline = time.monotonic() + limit
        while not condition() and time.monotonic() < deadline:
            run.check_background()
            outcomes.check()
            samples.append((time.monotonic() - started, measure.memory_mb(worker.pid), outcomes.total[0]))
            if len(samples) % 10 == 1:
                at, memory, total = samples[-1]
                print(f"          {at:4.0f} s  {memory:5.0f} MB  {total} outcomes", flush=True)
            time.sleep(max(0, started + len(samples) - time.monotonic()))

    sample_until(lambda: outcomes.total[0] > COUNT // 5, 300)
    run.run([*run.services, "stop", "postgres"])
    gone_at, gone_with = len(samples), outcomes.total[0]
    sample_until(lambda: len(samples) - gone_at >= AWAY_SECONDS, AWAY_SECONDS + 60)
    away = [total for _, _, total in samples[gone_at:]]
    run.run([*run.services, "start", "postgres"])
    run.read_environment()
    back_at, back_with = len(samples), outcomes.total[0]
    sample_until(lambda: outcomes.are_there(everybody), 900)
    log = run.directory / f"memory-{size}.csv"
    log.write_text("seconds,mb,outcomes\n" + "".join(f"{at:.1f},{memory:.1f},{total}\n" for at, memory, total in samples))
    memory = [value for _, value, _ in samples]
    stood_still = next((place for place, total in enumerate(away) if total == away[-1]), len(away))
    bench.row(f"memory, {what}: start, peak, end", f"{memory[0]:.0f}, {measure.peak_memory_mb(worker.pid):.0f}, {memory[-1]:.0f} MB",
              f"database away: {memory[gone_at]:.0f} to {max(memory[gone_at:back_at]):.0f} MB", None, "", True)
    bench.row("  delivered while the database was away", f"{back_with - gone_with} in {AWAY_SECONDS} s",
              f"none after {stood_still} s" if stood_still < len(away) - 2 else "to the end", None, "", True)
    told = outcomes.told(everybody)
    bench.row("  outcomes of all recipients", told, str(outcomes.by_kind(everybody)), None, "each once", told == "each once")
    bench.stop_worker(worker)
    marked = int(run.output(["psql", "-X", "-At", "-c", "SELECT count(*) FROM martlet.dead_tokens",
                             run.environment["MARTLET_TEST_DATABASE_URL"]]))
    bench.row("  tokens marked", f"{marked}", "", None, f"{COUNT // DEAD_EVERY}", marked == COUNT // DEAD_EVERY)
    run.run(["psql", "-X", "-q", "-c", "TRUNCATE martlet.device_tokens", run.environment["MARTLET_TEST_DATABASE_URL"]])


def body(first: int, size: int) -> bytes:
    return text(f"backlog-{first}", (
        token(number, DEAD if number % DEAD_EVERY == 0 else ACCEPTED) for number in range(first, min(first + size, COUNT))))
