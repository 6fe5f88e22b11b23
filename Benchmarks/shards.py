"""Jobs of one recipient in a cluster of three nodes: a lane in one, two and three queues, beside bare loops, one for each."""
import statistics

from orchestration import ROOT, Failure

from workload import job

COUNT, PREFETCH, LANE = 30_000, 4_000, "normal"
NODES = 3


def measure_shards(bench) -> None:
    program = bench.run.directory / "bare_broker"
    bench.run.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", ROOT / "Benchmarks" / "bare_broker.c", "-o", program, "-lrabbitmq"])
    bench.broker.bind_sink("bench.sink", **{"x-max-length": 1000})
    first = None
    for shards in range(1, NODES + 1):
        # It makes the queues, and has jobs led to all of them.
        bench.stop_worker(bench.start_worker(f"amqp.shards={shards}"))
        queues = [f"martlet.jobs.{LANE}" + (f".{number}" if number > 1 else "") for number in range(1, shards + 1)]
        bare, ours, shares = [], [], ""
        for number in range(bench.rounds):
            bench.run.step(f"jobs of one in {shards} queues, round {number + 1} of {bench.rounds}")
            bare.append(bare_rate(bench, program, queues))
            fill(bench, queues)
            depths = [bench.broker.depth(queue) for queue in queues]
            shares = ", ".join(f"{depth / COUNT:.0%}" for depth in depths)
            worker = bench.start_worker(f"amqp.shards={shards}")
            # A worker moves on what it would hold for too long, which is not done by that.
            every = (*queues, f"martlet.jobs.{LANE}.overflow")
            ours.append(bench.broker.drain_rate(every, COUNT, bench.run.check_background, 300))
            bench.run.wait_for("the queues are empty", lambda every=every: bench.broker.depth(*every) == 0, 60)
            bench.stop_worker(worker)
            for name in every:
                bench.broker.channel.queue_purge(name)
        value, reference = statistics.median(ours), statistics.median(bare)
        first = first or value
        bench.row(f"jobs of one a second, {shards} queue{'s' if shards > 1 else ''}", f"{value:.0f}",
                  f"bare loops {reference:.0f}", value / reference, "", True)
        bench.row("  beside one queue; jobs of each", f"{value / first:.2f}; {shares}", "", None, "", True)
    bench.broker.unbind_sink("bench.sink")


def fill(bench, queues: list[str]) -> None:
    for number in range(COUNT):
        bench.broker.publish(LANE, job(f"bench-{number}", [number]))
    bench.run.wait_for("all jobs are there", lambda: bench.broker.depth(*queues) >= COUNT, 120)


def bare_rate(bench, program, queues: list[str]) -> float:
    """Each loop is connected to a node of its own."""
    fill(bench, queues)
    secret = (bench.run.directory / "services.secret").read_text().strip()
    loops = []
    for number, queue in enumerate(queues, 1):
        port = bench.run.environment[f"LOCAL_RABBITMQ{f'_{number}' if number > 1 else ''}_PORT"]
        loops.append(bench.run.start(f"bare_broker-{number}", [
            program, "127.0.0.1", port, "martlet", secret, queue, "martlet.results", PREFETCH, bench.broker.depth(queue)]))
    rate = bench.broker.drain_rate(tuple(queues), COUNT, lambda: None, 300)
    bench.run.background = [entry for entry in bench.run.background if entry[1] not in loops]
    for number, loop in enumerate(loops, 1):
        if bench.run.wait(loop) != 0:
            raise Failure(f"a bare loop failed; see .local/bench/bare_broker-{number}.log")
    return rate
