"""Measures an app with a rate limit of 500 pushes per second. Four workers send its campaign of a million, and one of them is
killed and replaced. Another app has jobs in the same lane."""
import json
import os
import signal
import time
import urllib.request

from support.orchestration import MARTLET

from fleet import Member
import measure
from outcomes import Outcomes, Probe
from workload import APP, TEAM, job

RATE, SIZE, WORKERS, SECONDS = 500, 1_000_000, 4, 60
BESIDE, LANE, INTERVAL = "com.example.beside", "bulk", 0.1
# When a worker is killed and when another one is added, in seconds since the beginning of the minute.
KILL_AT, ADD_AT = 20, 30
# The maximum difference between the rate of the minute and the limit, as a fraction of the limit.
TOLERANCE = 0.05


def measure_pacing(bench) -> None:
    run = bench.run
    set_app(bench, BESIDE, "--team", TEAM)
    set_app(bench, APP, "--rate", str(RATE))
    with Outcomes(bench.broker, run.environment["MARTLET_TEST_AMQP_URL"], SIZE + 20_000) as outcomes:
        members = [Member(bench, number) for number in range(WORKERS)]
        run.wait_for("the workers are ready", lambda: all(member.get("/ready") is not None for member in members), 30)

        def publish(number: int) -> None:
            bench.broker.publish(LANE, job(f"beside-{number}", [number], app=BESIDE))

        run.step("pacing: another app alone, for 15 s")
        alone = Probe(outcomes, range(SIZE, outcomes.count)).run(INTERVAL, 15, publish)
        outcomes.wait_for(alone.used, run, 30)
        run.step(f"pacing: {SIZE} recipients at {RATE} a second over {WORKERS} workers, in one job")
        bench.broker.publish(LANE, job("paced", range(SIZE)))
        run.wait_for("the first outcome", lambda: outcomes.total[0] > len(alone.used), 60)
        split = Probe(outcomes, range(alone.next, outcomes.count)).run(INTERVAL, 20, publish)
        run.step(f"pacing: for {SECONDS} s, a worker killed after {KILL_AT} s and one added after {ADD_AT} s")
        minute = Minute(bench, members)
        beside = Probe(outcomes, range(split.next, outcomes.count)).run(INTERVAL, SECONDS, publish, minute.goes_on)
        count = minute.end() - len(beside.used)
        outcomes.wait_for(range(SIZE, beside.next), run, 60)
        print("          arrivals in each second: " + " ".join(map(str, minute.by_second)), flush=True)
        rate = count / minute.seconds
        bench.row(f"{APP} at {RATE} a second", f"{rate:.1f} a second", f"{count} in {minute.seconds:.1f} s", rate / RATE,
                  "0.95 to 1.05", abs(rate / RATE - 1) <= TOLERANCE)
        bench.row("  another app's jobs in its lane", str(beside.latencies()), f"alone {alone.latencies()}", None, "p99 within 1 s",
                  beside.latencies().at(0.99) <= 1)
        bench.row("  while the campaign is split", str(split.latencies()), "", None, "", True)
        peaks = ", ".join(f"{measure.peak_memory_mb(member.process.pid):.0f}" for member in members)
        bench.row("  workers' peak memory", f"{peaks} MB", "", None, "", True)
        paced = sum(metric(member) for member in members)
        bench.row("  jobs delayed, in total", f"{paced}", "", None, "", True)
        run.step("pacing: without the rate limit, until all outcomes are reported")
        set_app(bench, APP, "--rate", "none")
        lifted = time.monotonic()
        outcomes.wait_for(range(SIZE), run, 600)
        bench.row("  all outcomes reported after the limit was removed", f"{time.monotonic() - lifted:.0f} s", "", None, "", True)
        told = outcomes.told(range(SIZE))
        bench.row("  outcomes; those of the killed worker may be reported twice", told, "", None, "0 never", told == "each once" or told.startswith("0 never"))
        for member in members:
            member.stop()


class Minute:
    """A minute in which pushes are counted at the push service, one worker is killed, and another one is added."""

    def __init__(self, bench, members: list):
        self.bench, self.members = bench, members
        self.started, self.first = time.monotonic(), arrivals(bench)
        self.last, self.by_second = self.first, []
        self.is_killed = self.is_added = False

    def goes_on(self) -> bool:
        passed = time.monotonic() - self.started
        if passed >= len(self.by_second) + 1:
            now = arrivals(self.bench)
            self.by_second.append(now - self.last)
            self.last = now
        if passed >= KILL_AT and not self.is_killed:
            self.is_killed = True
            victim = self.members.pop(0)
            self.bench.run.background = [entry for entry in self.bench.run.background if entry[1] is not victim.process]
            os.kill(victim.process.pid, signal.SIGKILL)
            victim.process.wait()
        if passed >= ADD_AT and not self.is_added:
            self.is_added = True
            self.members.append(Member(self.bench, WORKERS))
        return True

    def end(self) -> int:
        """Ends the minute and returns the number of pushes that have arrived."""
        self.seconds = time.monotonic() - self.started
        return arrivals(self.bench) - self.first


def set_app(bench, app: str, *options: str) -> None:
    bench.run.output([MARTLET, "app", "set", app, *options, "--config", bench.config])


def arrivals(bench) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{bench.control}/counters", timeout=5) as answer:
        return json.load(answer)["arrivals"]


def metric(member: Member) -> int:
    lines = (member.get("/metrics") or "").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith('martlet_jobs_total{state="paced"}')), 0)
