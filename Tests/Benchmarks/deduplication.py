"""Measures the cost of de-duplication: the same jobs without it, with jobs.deduplication_window, and with at_most_once."""
import statistics
import time

import measure
from workload import job

# The number of recipients of a job, and the number of jobs.
SIZES = ((1, 40_000), (500, 1_000))
WAYS = (("neither", [], ""), ("window of an hour", ["jobs.deduplication_window=3600"], ""), ("at_most_once", [], ',"at_most_once":true'))


def measure_deduplication(bench) -> None:
    run = bench.run
    # Result events need a queue. This one drops its oldest messages, so it needs no consumer.
    bench.broker.bind_sink("bench.sink", **{"x-max-length": 1000})
    number = 0
    for size, jobs in SIZES:
        results = {way: [] for way, _, _ in WAYS}
        for round_number in range(bench.rounds):
            for way, settings, fields in WAYS:
                run.step(f"jobs of {size}, {way}, round {round_number + 1} of {bench.rounds}")
                bench.broker.fill("normal", (
                    job(f"dedup-{number + n}", range(n * size, (n + 1) * size), fields=fields) for n in range(jobs)), jobs)
                number += jobs
                results[way].append(measure_once(bench, size, jobs, settings))
        plain = None
        for way, rounds in results.items():
            rate, cost, database = (statistics.median(values) for values in zip(*rounds))
            plain = plain or rate
            bench.row(f"jobs of {size}, {way}", f"{rate:.0f} jobs/s",
                      f"CPU a job: worker {cost:.1f} µs, database {database:.1f} µs", rate / plain, "", True)
    bench.broker.unbind_sink("bench.sink")


def measure_once(bench, size: int, jobs: int, settings: list[str]) -> tuple[float, float, float]:
    """Returns the jobs per second, measured over the middle eight tenths of the jobs, and the CPU time of a job in µs, of the
    worker and of PostgreSQL."""
    database = server_cpu(bench)
    worker = bench.start_worker(*settings)
    began, ended = (reached(bench, size * jobs * tenths // 10) for tenths in (1, 9))
    reached(bench, size * jobs)
    bench.run.wait_for("all jobs are settled", lambda: bench.metric("martlet_jobs_open") == 0, 60)
    costs = (measure.cpu_seconds(worker.pid), server_cpu(bench) - database)
    bench.stop_worker(worker)
    return ((ended[0] - began[0]) / (ended[1] - began[1]) / size, *(cost / jobs * 1e6 for cost in costs))


def reached(bench, outcomes: int) -> tuple[int, float]:
    """Waits until there are at least `outcomes` outcomes. Returns their number and the time."""
    # The metric is missing until there is a first outcome.
    while (done := bench.metric('martlet_outcomes_total{kind="sent"}', 0)) < outcomes:
        bench.run.check_background()
        time.sleep(0.005)
    return done, time.monotonic()


def server_cpu(bench) -> float:
    """Returns the CPU seconds of PostgreSQL and all its processes, including those that have ended."""
    return measure.cpu_seconds_of_server(int(bench.run.environment["LOCAL_POSTGRES_PID"]))
