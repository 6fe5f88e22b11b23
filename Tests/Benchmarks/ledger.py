"""Measures the outcome ledger with a million outcomes: its cost with large and with single-outcome events, and a lookup."""
import json
import subprocess
import time

import pika

from support.orchestration import MARTLET, end

import measure
from deduplication import server_cpu
from workload import APP

COUNT = 1_000_000
# The number of outcomes in an event, and the percentage of events that report failures.
SHAPES = ((500, 2), (1, 2))
HOUR = 3_600


def measure_ledger(bench) -> None:
    for size, problems in SHAPES:
        count = COUNT if size > 1 else COUNT // 5
        bench.run.step(f"ledger: {count} outcomes, {size} in an event")
        sql(bench, "TRUNCATE martlet.ledger")
        process = bench.run.start("ledger", [MARTLET, "ledger", "--config", bench.config, "--set", "http.listen="])
        bench.run.wait_for("the ledger has started", lambda: "Ledger started" in (bench.run.directory / "ledger.log").read_text(), 30)
        before, began = server_cpu(bench), time.monotonic()
        publish(bench, count, size, problems)
        bench.run.wait_for("all rows", lambda count=count: int(sql(bench, "SELECT count(*) FROM martlet.ledger")) >= count, 600)
        seconds = time.monotonic() - began
        ours, theirs = measure.cpu_seconds(process.pid), server_cpu(bench) - before
        size_of = int(sql(bench, "SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('martlet.ledger')"))
        bench.row(f"outcomes into the ledger a second, {size} in an event", f"{count / seconds:.0f}", "", None, f"{COUNT // HOUR}",
                  count / seconds >= COUNT / HOUR)
        bench.row("  CPU an outcome", f"{ours / count * 1e6:.1f} µs", f"PostgreSQL {theirs / count * 1e6:.1f} µs", None, "", True)
        bench.row("  of a core, at a million an hour", f"{ours / count * COUNT / HOUR:.2%}", f"PostgreSQL {theirs / count * COUNT / HOUR:.2%}",
                  None, "", True)
        bench.row("  bytes a row, with its indexes; peak memory", f"{size_of / count:.0f}; {measure.peak_memory_mb(process.pid):.0f} MB", "",
                  None, "", True)
        began = time.monotonic()
        answer = bench.run.output([MARTLET, "why", "--job", "ledger-7", "--ref", f"user-{7 * size}", "--json", "--config", bench.config])
        assert json.loads(answer)
        bench.row("  martlet why, with its start", f"{(time.monotonic() - began) * 1000:.0f} ms", "", None, "", True)
        end(process, patience=60)
        bench.run.background = [entry for entry in bench.run.background if entry[1] is not process]


def publish(bench, count: int, size: int, problems: int) -> None:
    """Publishes events like those of a worker (docs/consume.md)."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    for number in range(count // size):
        kind = "failed" if number % 100 < problems else "sent"
        more = {"status": 503, "reason": "ServiceUnavailable"} if kind == "failed" else {"status": 200}
        body = json.dumps({
            "kind": kind, "output": "apns", "app": APP, "environment": "production", "worker": "bench",
            "outcomes": [{"job": f"ledger-{number}", "recipient": f"{recipient:064x}", "ref": f"user-{recipient}", **more,
                          "attempts": 1, "at": now} for recipient in range(number * size, (number + 1) * size)]})
        bench.broker.channel.basic_publish(
            "martlet.results", f"apns.{kind}.{APP}", body.encode(),
            pika.BasicProperties(content_type="application/json", delivery_mode=2, message_id=f"ledger-{size}-{number}"))


def sql(bench, text: str) -> str:
    return subprocess.run(["psql", "-XAtq", "-d", bench.run.environment["MARTLET_TEST_DATABASE_URL"], "-c", text],
                          check=True, capture_output=True, text=True).stdout.strip()
