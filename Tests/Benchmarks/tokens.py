"""Measures five million device tokens: registering, marking, suppression and size on disk."""
import json
import os
import statistics
import subprocess
import time

from support.orchestration import MARTLET

import measure
from workload import job


COUNT = 5_000_000
# Every tenth token is marked dead before suppression is measured with dead tokens.
DEAD = COUNT // 10
MARKED = 100_000
# The number of jobs for one measurement of a worker. Each job has a thousand recipients.
JOBS = 200
MASK = (1 << 64) - 1
# The length of an address in bytes, by kind.
ENDPOINTS = {"endpoint": 600, "long-endpoint": 1_024}


def token(number: int) -> str:
    """Returns the device token with this number, the same that `martlet-bench tokens` makes (SplitMix64)."""
    state, text = number & MASK, ""
    for _ in range(4):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
        text += f"{word ^ (word >> 31):016x}"
    return text


def address(kind: str, number: int) -> str:
    """Returns the address with this number, the same that `martlet-bench tokens --kind` makes."""
    digits = token(number)
    match kind:
        case "device":
            return digits
        case "installation":
            return digits[:22]
        case "registration":
            return f"{digits[:22]}:APA91b{(digits * 3)[:134]}"
    return ("https://push.example.net/send/" + digits * 16)[:ENDPOINTS[kind]]


class Registry:
    """The registry of device tokens, with addresses of one kind (see `address`)."""

    def __init__(self, bench, app: str, kind: str = "device"):
        self.bench, self.run, self.app, self.kind = bench, bench.run, app, kind
        self.output = "apns" if kind == "device" else "bench"
        self.url = bench.run.environment["MARTLET_TEST_DATABASE_URL"]
        self.program = MARTLET.with_name("martlet-bench")

    def sql(self, statement: str) -> str:
        return self.run.output(["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement, self.url]).strip()

    def row(self, what: str, value: str) -> None:
        print(f"          {what}: {value}", flush=True)
        self.bench.row(what, value, "", None, "", True)

    def size(self, part: str) -> int:
        return int(self.sql(f"SELECT {part}('martlet.device_tokens')"))

    def write(self, path) -> None:
        """Writes all addresses to a file."""
        with open(path, "w") as file:
            file.write("token\n")
            for first in range(0, COUNT, 100_000):
                file.write("".join(address(self.kind, number) + "\n" for number in range(first, first + 100_000)))

    def register(self, path, what: str) -> None:
        """Registers the addresses with the command, as an operator would. The command's own work is included."""
        started = time.monotonic()
        process = self.run.popen([MARTLET, "token", "register", "--file", path, "--app", self.app, "--output",
                                  self.output, "--config", self.bench.config], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError(f"token register ended with {process.returncode}")
        seconds = time.monotonic() - started
        self.row(f"register, {what}", f"{COUNT / seconds:.0f} rows/s")
        self.row("  the command's CPU, peak memory",
                 f"{(usage.ru_utime + usage.ru_stime) / COUNT * 1e6:.2f} µs a row, {usage.ru_maxrss / 1024:.0f} MB")

    def mark(self, first: int, count: int, every: int, workers: int, what: str) -> None:
        result = json.loads(self.run.output([
            self.program, "tokens", "mark", "--database-url", self.url, "--app", self.app, "--first", first, "--count",
            count, "--every", every, "--workers", workers, "--kind", self.kind]))
        self.row(f"mark, {what}", f"{result['rows_per_second']:.0f} rows/s")

    def screen(self, first: int, what: str, **options) -> None:
        result = json.loads(self.run.output([
            self.program, "tokens", "screen", "--database-url", self.url, "--app", self.app, "--first", first, "--every", 10,
            "--kind", self.kind,
            *(text for name, value in options.items() for text in (f"--{name}", value))]))
        self.row(f"filter, {what}: load", f"{result['load_seconds']:.1f} s, {result['load_cpu_seconds']:.1f} s of CPU, "
                 f"{result['bytes'] / 1e6:.1f} MB, {result['dead']} tokens")
        self.row("  a living token: filter", f"{result['filter_ns']:.0f} ns, not cleared {result['uncleared'] * 100:.3f} %")
        self.row("  a living token: query of 1,000", f"{result['query_us']:.1f} µs, worker's CPU {result['query_cpu_us']:.2f} µs")


def worker_cost(bench, enabled: bool, dead: int) -> tuple[float, float]:
    """Returns the CPU time of a push in µs and the peak memory in MB. The filter is loaded before the measurement."""
    worker = bench.start_worker(f"suppression.enabled={str(enabled).lower()}")
    if enabled and dead:
        bench.run.wait_for("dead tokens are loaded", lambda: bench.metric("martlet_suppression_tokens") > dead * 0.98, 120)
    before = measure.cpu_seconds(worker.pid)
    bench.broker.bind_sink("bench.outcomes")
    for number in range(JOBS):
        bench.broker.publish("normal", job(f"bench-{number}", range(number * 1000, number * 1000 + 1000)))
    bench.broker.count_outcomes("bench.outcomes", JOBS * 1000, bench.run.check_background, 600)
    cost, peak = (measure.cpu_seconds(worker.pid) - before) / JOBS / 1000 * 1e6, measure.peak_memory_mb(worker.pid)
    bench.stop_worker(worker)
    bench.broker.unbind_sink("bench.outcomes")
    return cost, peak


def compare_workers(bench, registry: Registry, what: str, dead: int) -> None:
    """Measures alternately without and with suppression, so that other load on the machine affects both."""
    off, on = [], []
    for number in range(bench.rounds):
        bench.run.step(f"whole worker, {what}, suppression off and on, round {number + 1} of {bench.rounds}")
        off.append(worker_cost(bench, False, dead))
        on.append(worker_cost(bench, True, dead))
    for name, results in (("off", off), ("on", on)):
        registry.row(f"whole worker, {what}, suppression {name}",
                     f"{statistics.median(cost for cost, _ in results):.2f} µs a push, "
                     f"peak {statistics.median(peak for _, peak in results):.0f} MB")


def measure_tokens(bench) -> None:
    from_app = "com.example.bench"
    run, registry = bench.run, Registry(bench, from_app)
    run.step(f"write a file of {COUNT} tokens")
    path = run.directory / "tokens.csv"
    registry.write(path)
    compare_workers(bench, registry, "no dead tokens", 0)
    run.step(f"register {COUNT} tokens")
    registry.register(path, f"{COUNT} new tokens")
    registry.sql("VACUUM ANALYZE martlet.device_tokens")
    registry.row("size on disk, table and index",
                 f"{registry.size('pg_table_size') / COUNT:.0f} and {registry.size('pg_indexes_size') / COUNT:.0f} bytes a row")
    run.step(f"register {COUNT} tokens again, a little later")
    registry.register(path, "again, newer")
    hot = registry.sql("SELECT round(100.0 * n_tup_hot_upd / nullif(n_tup_upd, 0)) FROM pg_stat_user_tables"
                       " WHERE schemaname = 'martlet' AND relname = 'device_tokens'")
    registry.row("  updates that left the indexes alone", f"{hot} %")
    run.step("mark tokens, as one worker and as four")
    registry.mark(0, MARKED, 10, 1, f"{MARKED} of {COUNT}, one worker")
    registry.mark(MARKED * 10, MARKED, 10, 4, f"{MARKED}, four workers")
    registry.mark(0, MARKED, 10, 1, f"{MARKED} that are marked already")
    registry.mark(COUNT, MARKED, 1, 1, f"{MARKED} that were never registered")
    registry.mark(2 * MARKED * 10, DEAD - 2 * MARKED, 10, 2, f"{DEAD - 2 * MARKED}, two workers")
    registry.sql("VACUUM ANALYZE martlet.device_tokens")
    registry.row("size on disk after that", f"{registry.size('pg_table_size') / 1e9:.2f} and {registry.size('pg_indexes_size') / 1e9:.2f} GB")
    registry.screen(5, f"{DEAD + MARKED} dead")
    run.step("suppression in the whole worker, with dead tokens")
    compare_workers(bench, registry, f"{DEAD + MARKED} dead tokens", DEAD + MARKED)
    run.step("mark all other tokens")
    registry.sql("UPDATE martlet.device_tokens SET (registered_at, unregistered_at, marked_at, reason) ="
                 " (NULL, now(), date_trunc('milliseconds', clock_timestamp()), 'Unregistered') WHERE unregistered_at IS NULL")
    registry.sql("VACUUM ANALYZE martlet.device_tokens")
    registry.screen(COUNT + MARKED, f"{COUNT + MARKED} dead")
    registry.screen(COUNT + MARKED, f"{COUNT + MARKED} dead, memory of 1 MB", memory=1)
    started = time.monotonic()
    run.run([MARTLET, "token", "export", "--config", bench.config], stdout=subprocess.DEVNULL)
    registry.row(f"export of {COUNT + MARKED}", f"{(COUNT + MARKED) / (time.monotonic() - started):.0f} rows/s")
    registry.row("size on disk now, table and index",
                 f"{registry.size('pg_table_size') / 1e9:.2f} and {registry.size('pg_indexes_size') / 1e9:.2f} GB")
    registry.sql("TRUNCATE martlet.device_tokens")
    path.unlink()
