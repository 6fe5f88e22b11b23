import PushModel

/// The life of a fleet with the traffic and faults of one seed, until all jobs are settled.
package struct History {
    /// The result of a history.
    package struct Result {
        package let verdict: Verdict
        package let jobs: Int
        package let recipients: Int
        package let events: Int
        /// The virtual time until all jobs were settled, in milliseconds.
        package let milliseconds: Int64
        /// The number of messages that publishers and workers published.
        package let messages: Int
        /// The account of each recipient.
        package let accounts: [SimulatedToken: Accounts.Recipient]
    }

    /// The time after the end of traffic and faults within which all jobs must be settled, in milliseconds. It includes
    /// the maximum age of a push, the longest delay, and the longest time by which a job is scheduled in advance.
    private static let patience = Int64(Fleet.maximumAge + 3_600 + 600) * 1_000

    package let scenario: Scenario
    private let seed: UInt64

    package init(seed: UInt64) { self.init(Scenario(seed: seed), seed: seed) }

    /// Creates the history of a scenario.
    ///
    /// - Parameter seed: the seed of everything that the scenario leaves open.
    package init(_ scenario: Scenario, seed: UInt64 = 1) {
        (self.scenario, self.seed) = (scenario, seed)
    }

    /// Runs the history.
    ///
    /// - Parameter reader: A function that receives the lines of the timeline, or `nil` if they are not needed.
    package func run(reader: ((String) -> Void)? = nil) -> Result {
        let dice = Dice(seed: seed ^ 0x5EED)
        let timeline = Timeline()
        timeline.reader = reader
        let fleet = Fleet(scenario.tenants, timeline, dice.fork())
        let accounts = Accounts(timeline)
        fleet.readResults { accounts.read($0) }
        for error in scenario.clockErrors { fleet.startWorker(clockError: error) }
        let publisher = Publisher(fleet, accounts, dice.fork())
        for tenant in scenario.tenants.indices { publisher.run(tenant, until: scenario.duration) }
        for fault in scenario.faults { fault.schedule(in: fleet, publisher) }
        let lastFault = scenario.faults.map(\.end).max() ?? 0
        timeline.run(untilMilliseconds: max(scenario.duration, lastFault))
        // The time is doubled, because workers that share a rate limit do not always use all of it.
        let end = timeline.milliseconds + Self.patience + 2 * accounts.millisecondsOfRates(scenario.tenants)
        while accounts.open > 0, timeline.milliseconds < end {
            timeline.run(untilMilliseconds: timeline.milliseconds + 1_000)
        }
        let settled = timeline.milliseconds
        // The fleet runs for another minute, so that the judge also finds late repetitions of pushes and outcomes.
        timeline.run(untilMilliseconds: settled + 60_000)
        let verdict = Judge(accounts, fleet, scenario.faults).verdict()
        for worker in fleet.workers { worker.kill() }
        return Result(
            verdict: verdict, jobs: accounts.jobs, recipients: accounts.recipients.count, events: timeline.count,
            milliseconds: settled, messages: fleet.broker.published, accounts: accounts.recipients)
    }
}
