import PushModel

/// The publisher of all tenants' jobs. It publishes each job again until the broker confirms it.
final class Publisher {
    private let fleet: Fleet
    private let accounts: Accounts
    private let dice: Dice
    private let timeline: Timeline
    private var jobs = 0

    init(_ fleet: Fleet, _ accounts: Accounts, _ dice: Dice) {
        self.fleet = fleet
        self.accounts = accounts
        self.dice = dice
        timeline = fleet.timeline
    }

    /// Publishes jobs of a tenant at random times.
    ///
    /// - Parameter end: The time after which no job is published, in milliseconds since the start of the history.
    func run(_ tenant: Int, until end: Int64) {
        guard fleet.tenants[tenant].jobsPerHour > 0 else { return }
        let mean = Int64(3_600_000_000 / fleet.tenants[tenant].jobsPerHour)
        timeline.after(microseconds: dice.wait(mean: mean)) { [self] in
            guard timeline.milliseconds < end else { return }
            publish(fleet.tenants[tenant])
            run(tenant, until: end)
        }
    }

    /// Publishes several jobs of a tenant at once.
    func burst(_ tenant: Int, jobs: Int, lane: Lane) {
        for _ in 0..<jobs { publish(fleet.tenants[tenant], lane: lane) }
    }

    private func publish(_ tenant: Tenant, lane: Lane? = nil) {
        let kind = dice.fraction()
        let lane =
            lane
            ?? (kind < tenant.urgentShare ? .urgent : kind < tenant.urgentShare + tenant.bulkShare ? .bulk : .normal)
        // Most jobs have one recipient.
        let count = lane == .urgent || dice.happens(0.7) ? 1 : dice.number(1...tenant.recipients)
        let number = jobs
        jobs += 1
        let tokens = (0..<count).map { recipient in
            let fate: SimulatedToken.Fate =
                dice.happens(tenant.deadShare) ? .dead : dice.happens(tenant.poisonShare) ? .refusesCredential : .good
            return SimulatedToken(app: tenant.number, job: number, recipient: recipient, fate: fate)
        }
        let isScheduled = dice.happens(tenant.scheduledShare)
        let job = SimulatedJob(
            number: number, tenant: tenant, lane: lane, tokens: tokens,
            dueAt: timeline.milliseconds + (isScheduled ? dice.number(1_000...600_000) : 0), isScheduled: isScheduled,
            isAtMostOnce: dice.happens(tenant.onceShare))
        deliver(job)
        // Some publishers do not wait for the confirm and publish a job twice. Only `at_most_once` jobs are published
        // twice here, because the pushes of other jobs would be repeated.
        if job.isAtMostOnce, dice.happens(0.1) {
            timeline.after(milliseconds: dice.number(0...20_000)) { [self] in deliver(job) }
        }
    }

    private func deliver(_ job: SimulatedJob) {
        guard fleet.publish(job.body, lane: job.lane, id: job.id) else {
            timeline.after(milliseconds: 1_000) { [self] in deliver(job) }
            return
        }
        accounts.published(job)
    }
}
