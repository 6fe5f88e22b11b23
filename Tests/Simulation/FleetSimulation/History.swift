import PushModel

/// The run of one seed: a fleet, its traffic and its faults, from the first job until everything is settled.
package struct History {
    /// The result of a history.
    package struct Result {
        package let verdict: Verdict
        package let jobs: Int
        package let recipients: Int
        package let events: Int
        /// The virtual time until everything was settled, in milliseconds.
        package let milliseconds: Int64
        /// The number of messages that publishers and workers published.
        package let messages: Int
        /// A number that differs if anything in the history differs.
        package let digest: UInt64
    }

    /// The time after the last fault in which everything must be settled, in milliseconds: the time during which pushes
    /// are retried, and the longest delay.
    private static let patience = Int64(Fleet.maximumAge + 3_600 + 600) * 1_000

    package let scenario: Scenario
    private let seed: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        scenario = Scenario(seed: seed)
    }

    /// Runs the history.
    ///
    /// - Parameter reader: a function that receives the lines of the timeline, or `nil`.
    package func run(reader: ((String) -> Void)? = nil) -> Result {
        let dice = Dice(seed: seed ^ 0x5EED)
        let timeline = Timeline()
        timeline.reader = reader
        let fleet = Fleet(scenario.tenants, timeline, dice.fork())
        let accounts = Accounts(timeline)
        fleet.readResults { accounts.read($0) }
        for error in scenario.clockErrors { fleet.startWorker(clockError: error) }
        let publisher = Publisher(fleet, accounts, dice.fork())
        // The workers declare the topology before anybody publishes.
        for tenant in scenario.tenants.indices { publisher.run(tenant, until: scenario.duration) }
        for fault in scenario.faults { fault.schedule(in: fleet, publisher) }
        let lastFault = scenario.faults.map(\.end).max() ?? 0
        timeline.run(untilMilliseconds: max(scenario.duration, lastFault))
        // Workers that share a rate limit do not always use all of it.
        let end = timeline.milliseconds + Self.patience + 2 * accounts.millisecondsOfRates(scenario.tenants)
        while accounts.open > 0, timeline.milliseconds < end {
            timeline.run(untilMilliseconds: timeline.milliseconds + 1_000)
        }
        let settled = timeline.milliseconds
        // Late repetitions must show, too.
        timeline.run(untilMilliseconds: settled + 60_000)
        let verdict = Judge(accounts, fleet, scenario.faults).verdict()
        for worker in fleet.workers { worker.kill() }
        return Result(
            verdict: verdict, jobs: accounts.jobs, recipients: accounts.recipients.count, events: timeline.count,
            milliseconds: settled, messages: fleet.broker.published,
            digest: UInt64(timeline.count) &* 31 &+ UInt64(fleet.broker.published) &* 17
                &+ UInt64(fleet.provider.requests))
    }
}
