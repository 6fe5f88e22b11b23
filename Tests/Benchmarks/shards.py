"""Measures jobs of one recipient in a cluster of three nodes: a lane in one, two and three queues, and a bare loop for each
queue.

Only completed work counts: the time of the loops from the first delivery to the last acknowledgement, and the time in which the
worker published all outcomes. The number of ready messages is no measure, because it also falls when a consumer prefetches.
"""
import json
import pathlib
import statistics
import subprocess
import time

from support.orchestration import ROOT, Failure

from workload import job

COUNT, PREFETCH, LANE = 60_000, 4_000, "normal"
NODES = 3


def measure_shards(bench) -> None:
    program = bench.run.directory / "bare_broker"
    bench.run.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", ROOT / "Tests" / "Benchmarks" / "bare_broker.c", "-o", program, "-lrabbitmq"])
    bench.broker.bind_sink("bench.sink", **{"x-max-length": 1000})
    first = None
    for shards in range(1, NODES + 1):
        # The worker declares the queues and binds all of them.
        bench.stop_worker(bench.start_worker(f"amqp.shards={shards}"))
        queues = [f"martlet.jobs.{LANE}" + (f".{number}" if number > 1 else "") for number in range(1, shards + 1)]
        leaders = leading_nodes(bench, queues)
        bare, ours, shares = [], [], ""
        for number in range(bench.rounds):
            bench.run.step(f"jobs of one in {shards} queues, round {number + 1} of {bench.rounds}")
            fill(bench, queues)
            shares = ", ".join(f"{bench.broker.depth(queue) / COUNT:.0%} on node {leaders[queue]}" for queue in queues)
            bare.append(bare_rate(bench, program, queues, leaders))
            fill(bench, queues)
            ours.append(worker_rate(bench, queues, shards))
        value, reference = statistics.median(ours), statistics.median(bare)
        first = first or (value, reference)
        bench.row(f"jobs of one a second, {shards} queue{'s' if shards > 1 else ''}", f"{value:.0f}",
                  f"bare loops {reference:.0f}", value / reference, "", True)
        bench.row("  beside one queue; jobs of each, and its leader", f"{value / first[0]:.2f}; {shares}",
                  f"bare loops {reference / first[1]:.2f}", None, "", True)
    bench.broker.unbind_sink("bench.sink")


def fill(bench, queues: list[str]) -> None:
    for number in range(COUNT):
        bench.broker.publish(LANE, job(f"bench-{number}", [number]))
    bench.run.wait_for("all jobs are there", lambda: bench.broker.depth(*queues) >= COUNT, 120)


def worker_rate(bench, queues: list[str], shards: int) -> float:
    def told() -> int:
        return bench.metric('martlet_outcomes_total{kind="sent"}', 0)

    worker = bench.start_worker(f"amqp.shards={shards}")
    began, deadline = None, time.monotonic() + 300
    while (done := told()) < COUNT:
        bench.run.check_background()
        if began is None and done > 0:
            began = (done, time.monotonic())
        if time.monotonic() > deadline:
            raise Failure(f"{done} of {COUNT} jobs after 300 s")
        # Each request for metrics costs the worker CPU time.
        time.sleep(0.1)
    seconds = time.monotonic() - began[1] if began else 0.1
    bench.run.wait_for("all jobs are settled", lambda: bench.metric("martlet_jobs_open") == 0, 60)
    bench.stop_worker(worker)
    for name in (*queues, f"martlet.jobs.{LANE}.overflow"):
        bench.broker.channel.queue_purge(name)
    return (COUNT - (began[0] if began else 0)) / seconds


def bare_rate(bench, program, queues: list[str], leaders: dict[str, int]) -> float:
    """Runs a loop for each queue, connected to the node that leads the queue. Returns the messages per second of all loops."""
    secret = (bench.run.directory / "services.secret").read_text().strip()
    loops = []
    for number, queue in enumerate(queues, 1):
        port = bench.run.environment[f"LOCAL_RABBITMQ{suffix(leaders[queue], '_')}_PORT"]
        loops.append(bench.run.start(f"bare_broker-{number}", [
            program, "127.0.0.1", port, "martlet", secret, queue, "martlet.results",
            PREFETCH // len(queues), bench.broker.depth(queue)]))
    bench.run.background = [entry for entry in bench.run.background if entry[1] not in loops]
    results = []
    for number, loop in enumerate(loops, 1):
        if bench.run.wait(loop) != 0:
            raise Failure(f"a bare loop failed; see .local/bench/bare_broker-{number}.log")
        results.append(json.loads((bench.run.directory / f"bare_broker-{number}.log").read_text()))
    return sum(result["messages"] for result in results) / max(result["seconds"] for result in results)


def leading_nodes(bench, queues: list[str]) -> dict[str, int]:
    """Distributes the leaders of the queues over the nodes. Returns the number of the leading node for each queue."""
    surroundings = pathlib.Path(f"/proc/{bench.run.environment['LOCAL_RABBITMQ_PID']}/environ").read_text().split("\0")
    environment = dict(entry.split("=", 1) for entry in surroundings if entry.startswith(("HOME=", "RABBITMQ_NODENAME=", "ERL_EPMD")))
    environment |= {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}

    def tool(name: str, *arguments: str) -> str:
        command = [f"/usr/lib/rabbitmq/bin/{name}", "--quiet", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout

    # A new queue's leader goes to the node that leads the fewest queues of all, so a lane's queues may share a node.
    tool("rabbitmq-queues", "rebalance", "quorum", "--queue-pattern", rf"^martlet\.jobs\.{LANE}(\.[0-9]+)?$")
    listed = tool("rabbitmqctl", "--formatter", "json", "list_queues", "name", "leader")
    leaders = {entry["name"]: entry["leader"] for entry in json.loads(listed)}
    first = environment["RABBITMQ_NODENAME"].partition("@")[0]
    names = {f"{first}{suffix(number, '-')}@localhost": number for number in range(1, NODES + 1)}
    return {queue: names[leaders[queue]] for queue in queues}


def suffix(number: int, separator: str) -> str:
    """Returns the suffix of a node's names, which is empty for the first node."""
    return f"{separator}{number}" if number > 1 else ""
