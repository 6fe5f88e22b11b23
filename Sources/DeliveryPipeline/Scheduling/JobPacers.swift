package import PushModel

/// The jobs that have a rate of their own, and are here in parts. What is ahead of its time waits in the broker and not here,
/// so that it is in no other job's way. A value.
///
/// | a part | then |
/// |---|---|
/// | comes, and something may be sent of its job | goes, and is paid for |
/// | comes, and nothing may | gets a slot behind those of its job that have got one |
/// | comes back before its slot | waits for the rest in the broker; goes at once where nothing is before it |
/// | comes, and there is no room for its job | waits in the broker, as long again as it has waited, until another job is at rest |
package struct JobPacers {
    /// Two jobs of one id are no reason to forget the rate of either.
    private struct Key: Hashable {
        let job: String
        let rate: Int
    }

    /// Jobs under way, of one app and of all.
    package static let mostOfApp = 100
    package static let most = 10_000
    /// Parts come back at a second's notice, and may wait for nothing here: this evens out when.
    private static let burstSeconds = 3.0
    /// How often is looked for jobs at rest among those of all apps, in milliseconds.
    private static let clearingMilliseconds: Int64 = 1_000

    private var apps: [String: [Key: Pacer]] = [:]
    private var count = 0
    private var clearedAt: Timestamp?

    package init() {}

    /// - Parameter waited: seconds for which it has waited so far.
    /// - Returns: nil: it may go now, and that is paid for.
    package mutating func slot(
        for job: Job, at rate: Int, earlier: Pacer.Slot? = nil, waited: Int = 0, workers: Int?, now: Timestamp
    ) -> Pacer.Slot? {
        let key = Key(job: job.id, rate: rate)
        guard apps[job.app]?[key] != nil || makeRoom(for: job.app, workers, now) else {
            return Pacer.Slot(waitingLonger: waited, rate: rate, now: now)
        }
        if apps[job.app]?[key] == nil { count += 1 }
        var pacer = apps[job.app]?[key] ?? Pacer(rate: rate, burstSeconds: Self.burstSeconds)
        pacer.pass(to: now, workers: workers)
        defer { apps[job.app, default: [:]][key] = pacer }
        if let earlier, earlier.rate == rate, earlier.due > now, !pacer.isAtRest { return earlier }
        guard pacer.maySend else {
            return pacer.slot(for: job.recipients.count, behind: 0, until: job.expiration, now: now)
        }
        pacer.spend(job.recipients.count)
        return nil
    }

    /// A part that was to go has not been started.
    package mutating func refund(_ job: Job, at rate: Int) {
        apps[job.app]?[Key(job: job.id, rate: rate)]?.refund(job.recipients.count)
    }

    /// A part had a slot that is still to come, and needs it no more.
    package mutating func giveBack(_ job: Job, at rate: Int) {
        apps[job.app]?[Key(job: job.id, rate: rate)]?.giveBack(job.recipients.count)
    }

    // MARK: Room

    private mutating func makeRoom(for app: String, _ workers: Int?, _ now: Timestamp) -> Bool {
        if apps[app, default: [:]].count >= Self.mostOfApp { clear(app, workers, now) }
        if count >= Self.most, abs(now.milliseconds - (clearedAt?.milliseconds ?? 0)) >= Self.clearingMilliseconds {
            clearedAt = now
            for app in apps.keys { clear(app, workers, now) }
        }
        return count < Self.most && apps[app, default: [:]].count < Self.mostOfApp
    }

    /// Forgets those at rest: nothing is lost with them.
    private mutating func clear(_ app: String, _ workers: Int?, _ now: Timestamp) {
        guard let all = apps[app] else { return }
        let underWay = all.filter { _, pacer in
            var pacer = pacer
            pacer.pass(to: now, workers: workers)
            return !pacer.isAtRest
        }
        count -= all.count - underWay.count
        apps[app] = underWay.isEmpty ? nil : underWay
    }
}
