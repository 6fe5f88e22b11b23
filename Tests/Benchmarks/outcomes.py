"""Counts outcomes, and records when each one arrived, in a process that does nothing else."""
import math
import mmap
import re
import time

from support.orchestration import Failure

from aside import Aside
import measure

QUEUE = "bench.outcomes"
RECIPIENT = re.compile(rb'"recipient":"[0-9a-f]{8}([0-9a-f]{56})"')
KINDS = ("", "sent", "unregistered", "rejected", "failed", "unknown", "expired", "suppressed")


class Outcomes:
    """The outcomes of the recipients with the numbers below `count` (workload.py).

    Use it as a context manager. It binds a queue to the results exchange and consumes it until the context ends.
    """

    def __init__(self, broker, url: str, count: int):
        self.broker, self.url, self.count = broker, url, count
        # The consuming process shares this memory.
        self.times = mmap.mmap(-1, max(1, count))
        self.kinds = mmap.mmap(-1, max(1, count))
        self.at = memoryview(mmap.mmap(-1, 8 * max(1, count))).cast("d")
        self.total = memoryview(mmap.mmap(-1, 8)).cast("q")
        self.strays = memoryview(mmap.mmap(-1, 8)).cast("q")

    def __enter__(self) -> "Outcomes":
        self.broker.bind_sink(QUEUE)
        self.consumer = Aside("the consumer of outcomes", self.consume)
        return self

    def __exit__(self, *_) -> None:
        self.consumer.stop()
        self.broker.unbind_sink(QUEUE)

    def consume(self) -> None:
        for _, _, body in measure.Broker(self.url).channel.consume(QUEUE, auto_ack=True):
            now = time.monotonic()
            end = body.index(b'"', 9)
            kind = body[9:end].decode()
            code = KINDS.index(kind) if kind in KINDS else 0
            numbers = [int(digits, 16) for digits in RECIPIENT.findall(body)]
            if not code or not numbers or max(numbers) >= self.count:
                self.strays[0] += 1
                continue
            for number in numbers:
                self.times[number] = min(255, self.times[number] + 1)
                self.kinds[number] = code
                self.at[number] = now
            self.total[0] += len(numbers)

    def check(self) -> None:
        if not self.consumer.is_running:
            raise Failure("the consumer of outcomes has ended")

    def are_there(self, recipients: range) -> bool:
        """Returns whether each of these recipients has an outcome."""
        self.check()
        return self.times.find(b"\0", recipients.start, recipients.stop) < 0

    def wait_for(self, recipients: range, run, seconds: float) -> None:
        run.wait_for(f"outcomes of {len(recipients)} recipients", lambda: self.are_there(recipients), seconds)

    def told(self, recipients: range) -> str:
        """Describes how often each recipient's outcome was reported. The expected result is `each once`."""
        counts = [0] * 256
        for times in self.times[recipients.start:recipients.stop]:
            counts[times] += 1
        if counts[1] == len(recipients) and not self.strays[0]:
            return "each once"
        return (f"{counts[0]} never, {sum(counts[2:])} more than once"
                + (f", {self.strays[0]} unexpected events" if self.strays[0] else ""))

    def by_kind(self, recipients: range) -> dict[str, int]:
        found = self.kinds[recipients.start:recipients.stop]
        return {name: count for code, name in enumerate(KINDS) if name and (count := found.count(bytes([code])))}

    def came_between(self, recipients: range, start: float, end: float) -> int:
        return sum(start <= at < end for at in self.at[recipients.start:recipients.stop])

    def span(self, recipients: range) -> float:
        """Returns the seconds from the first outcome to the last."""
        times = self.at[recipients.start:recipients.stop]
        return max(times) - min(times)


class Latencies:
    """The latencies of pushes in seconds, from publishing to the result event."""

    def __init__(self, values):
        self.values = sorted(values)

    def at(self, share: float) -> float:
        return self.values[max(0, math.ceil(share * len(self.values)) - 1)]

    def __str__(self) -> str:
        shown = (("p50", self.at(0.5)), ("p99", self.at(0.99)), ("max", self.values[-1]))
        return ", ".join(f"{name} {value * 1000:.1f}" for name, value in shown) + " ms"


class Probe:
    """Jobs of one recipient each, published at a steady rate, and the times of their publishing."""

    def __init__(self, outcomes: Outcomes, recipients: range):
        self.outcomes, self.recipients = outcomes, recipients
        self.published: list[float] = []

    @property
    def next(self) -> int:
        return self.recipients.start + len(self.published)

    @property
    def used(self) -> range:
        return range(self.recipients.start, self.next)

    def run(self, interval: float, seconds: float, publish, go_on=lambda: True) -> "Probe":
        """Calls `publish` with one recipient's number per interval. Ends after `seconds`, when `go_on` returns false, or when
        there are no more recipients."""
        started = time.monotonic()
        while self.next < self.recipients.stop and go_on():
            due = started + len(self.published) * interval
            if due - started >= seconds:
                break
            time.sleep(max(0, due - time.monotonic()))
            number = self.next
            self.published.append(time.monotonic())
            publish(number)
        return self

    def latencies(self) -> Latencies:
        return Latencies(self.outcomes.at[number] - at for number, at in zip(self.used, self.published))
