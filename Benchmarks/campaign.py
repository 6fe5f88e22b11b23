"""Urgent pushes beside a campaign: how long each takes from publishing to its outcome, and on an idle worker."""
from aside import Aside, publish_all
import measure
from outcomes import Outcomes, Probe
from workload import job

SIZE = 1_000_000
# Oftener than a person would look, so that the 99th percentile is one of many.
INTERVAL = 0.1
IDLE_SECONDS, LONGEST_SECONDS = 60, 300
# Apple is some way off.
ANSWER_DELAY_MS = 50


def measure_campaign(bench) -> None:
    run, url = bench.run, bench.run.environment["MARTLET_TEST_AMQP_URL"]
    bench.tell_simulator(bench.control, "PUT", "/faults/standing", answer_delay_ms=ANSWER_DELAY_MS)

    def publish(number: int) -> None:
        bench.broker.publish("urgent", job(f"urgent-{number}", [number]))

    for lane, jobs in (("normal", 4), ("bulk", 4)):
        campaign = range(jobs * SIZE)
        with Outcomes(bench.broker, url, campaign.stop + 20_000) as outcomes:
            worker = bench.start_worker()
            # The first one opens connections.
            warm_up = Probe(outcomes, range(campaign.stop, campaign.stop + 10)).run(INTERVAL, 1, publish)
            outcomes.wait_for(warm_up.used, run, 30)
            run.step(f"urgent pushes on an idle worker, for {IDLE_SECONDS} s")
            idle = Probe(outcomes, range(warm_up.next, outcomes.count)).run(INTERVAL, IDLE_SECONDS, publish)
            outcomes.wait_for(idle.used, run, 30)
            memory = measure.memory_mb(worker.pid)
            run.step(f"urgent pushes beside {jobs} jobs of {SIZE} recipients, lane {lane}")
            aside = Aside("the publisher of the campaign", publish_all, url, lane, (
                job(f"campaign-{number}", range(number * SIZE, (number + 1) * SIZE)) for number in range(jobs)))

            def goes_on() -> bool:
                run.check_background()
                return aside.is_running or not outcomes.are_there(campaign)

            beside = Probe(outcomes, range(idle.next, outcomes.count))
            beside.run(INTERVAL, LONGEST_SECONDS, publish, goes_on)
            outcomes.wait_for(range(0, beside.next), run, 60)
            alone, loaded = idle.latencies(), beside.latencies()
            seconds, peak = outcomes.span(campaign), measure.peak_memory_mb(worker.pid)
            bench.stop_worker(worker)
            bench.row(f"urgent beside {jobs} × {SIZE} in {lane}", str(loaded), f"idle {alone}", loaded.at(0.99) / alone.at(0.99),
                      "", True)
            bench.row("  samples, seconds, outcomes a second of the campaign",
                      f"{len(beside.used)}, {seconds:.0f} s, {len(campaign) / seconds:.0f}", f"idle {len(idle.used)}", None, "", True)
            bench.row("  worker's peak memory", f"{peak:.0f} MB", f"before {memory:.0f} MB", None, "", True)
            told = outcomes.told(range(0, beside.next))
            bench.row("  outcomes of the recipients", told, "", None, "each once", told == "each once")
            bench.row("  the slowest, by second", slowest(outcomes, beside), "", None, "", True)
    bench.tell_simulator(bench.control, "DELETE", "/faults/standing")


def slowest(outcomes: Outcomes, probe: Probe) -> str:
    """When the worst ones were, in seconds since the campaign began."""
    worst = sorted(((outcomes.at[number] - at, at - probe.published[0]) for number, at in zip(probe.used, probe.published)),
                   reverse=True)[:8]
    return ", ".join(f"{taken * 1000:.0f} ms at {at:.1f}" for taken, at in worst)
