"""Measures how long urgent pushes take, from publishing to the result event, during a campaign and on an idle worker."""
from aside import Aside, publish_all
import measure
from outcomes import Outcomes, Probe
from workload import job

SIZE = 1_000_000
# Each campaign has a limiting factor, a lane, a number of jobs, and settings of the worker. If this machine is the
# limit, the simulator is short of CPU too, so urgent requests also wait in the simulator. Apple's servers would not
# delay them.
CAMPAIGNS = (("by 3 connections", "normal", 2, ("apns.maximum_connections=3",)), ("by this machine", "bulk", 6, ()))
# The seconds between two urgent pushes. A short interval gives enough samples for the 99th percentile.
INTERVAL = 0.1
IDLE_SECONDS, LONGEST_SECONDS = 60, 300
# Simulates the distance to Apple's servers.
ANSWER_DELAY_MS = 50


def measure_campaign(bench) -> None:
    run, url = bench.run, bench.run.environment["MARTLET_TEST_AMQP_URL"]
    bench.tell_simulator(bench.control, "PUT", "/faults/standing", answer_delay_ms=ANSWER_DELAY_MS)

    def publish(number: int) -> None:
        bench.broker.publish("urgent", job(f"urgent-{number}", [number]))

    idle = None
    for bound, lane, jobs, settings in CAMPAIGNS:
        campaign = range(jobs * SIZE)
        with Outcomes(bench.broker, url, campaign.stop + 20_000) as outcomes:
            worker = bench.start_worker(*settings)
            # The first pushes open connections.
            warm_up = Probe(outcomes, range(campaign.stop, campaign.stop + 10)).run(INTERVAL, 1, publish)
            outcomes.wait_for(warm_up.used, run, 30)
            beside = Probe(outcomes, range(warm_up.next, outcomes.count))
            if idle is None:
                run.step(f"urgent pushes on an idle worker, for {IDLE_SECONDS} s")
                idle = beside.run(INTERVAL, IDLE_SECONDS, publish)
                outcomes.wait_for(idle.used, run, 30)
                beside = Probe(outcomes, range(idle.next, outcomes.count))
                alone = idle.latencies()
                print(f"          the slowest: {slowest(outcomes, idle)}", flush=True)
            run.step(f"urgent pushes beside {jobs} jobs of {SIZE} recipients, lane {lane}, bounded {bound}")
            memory = measure.memory_mb(worker.pid)
            publisher = Aside("the publisher of the campaign", publish_all, url, lane, (
                job(f"campaign-{number}", range(number * SIZE, (number + 1) * SIZE)) for number in range(jobs)))

            def goes_on() -> bool:
                run.check_background()
                return publisher.is_running or not outcomes.are_there(campaign)

            beside.run(INTERVAL, LONGEST_SECONDS, publish, goes_on)
            outcomes.wait_for(range(0, beside.next), run, 60)
            loaded, seconds, peak = beside.latencies(), outcomes.span(campaign), measure.peak_memory_mb(worker.pid)
            bench.stop_worker(worker)
            bench.row(f"urgent beside {jobs} million, {lane}, bounded {bound}", str(loaded), f"idle {alone}", loaded.at(0.99) / alone.at(0.99),
                      "", True)
            bench.row("  how many of them", f"{len(beside.used)}", f"{len(idle.used)}", None, "", True)
            bench.row("  the campaign", f"{seconds:.0f} s, {len(campaign) / seconds:.0f} outcomes a second", "", None, "", True)
            bench.row("  worker's peak memory", f"{peak:.0f} MB", f"before {memory:.0f} MB", None, "", True)
            told = outcomes.told(range(0, beside.next))
            bench.row("  outcomes of all recipients", told, "", None, "each once", told == "each once")
            print(f"          the slowest: {slowest(outcomes, beside)}", flush=True)
    bench.tell_simulator(bench.control, "DELETE", "/faults/standing")


def slowest(outcomes: Outcomes, probe: Probe) -> str:
    """Returns the highest latencies, and when they occurred, in seconds since the first measured push."""
    worst = sorted(((outcomes.at[number] - at, at - probe.published[0]) for number, at in zip(probe.used, probe.published)),
                   reverse=True)[:8]
    return ", ".join(f"{taken * 1000:.0f} ms at {at:.1f} s" for taken, at in worst)
