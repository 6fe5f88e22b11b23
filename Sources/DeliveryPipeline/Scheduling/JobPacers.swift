import PushModel

/// The jobs that have a rate of their own, and are here in parts. What is ahead of its time waits in the broker and not here,
/// so that it is in no other job's way. A value.
struct JobPacers {
    private struct Key: Hashable {
        let app, job: String
    }

    /// Whoever makes more of them has the one forgotten that was used longest ago: its next part goes at once.
    private static let most = 1_000
    /// Parts come back at a second's notice, and may wait for nothing here: this evens out when.
    private static let burstSeconds = 3.0

    private var pacers: [Key: (pacer: Pacer, usedAt: Timestamp)] = [:]

    /// - Returns: nil: it may go now, and that is noted.
    mutating func slot(
        for job: Job, at rate: Int, earlier: Pacer.Slot?, workers: Int?, now: Timestamp
    ) -> Pacer.Slot? {
        let key = Key(app: job.app, job: job.id)
        if pacers[key] == nil { makeRoom(workers, now) }
        var pacer = pacers[key]?.pacer ?? Pacer(rate: rate, burstSeconds: Self.burstSeconds)
        if pacer.rate != rate { pacer = Pacer(rate: rate, burstSeconds: Self.burstSeconds) }
        pacer.pass(to: now, workers: workers)
        defer { pacers[key] = (pacer, now) }
        if let earlier, earlier.rate == rate, earlier.due > now { return earlier }
        guard pacer.maySend else { return pacer.slot(for: job.recipients.count, behind: 0, now: now) }
        pacer.spend(job.recipients.count)
        return nil
    }

    private mutating func makeRoom(_ workers: Int?, _ now: Timestamp) {
        guard pacers.count >= Self.most else { return }
        for (key, entry) in pacers {
            var pacer = entry.pacer
            pacer.pass(to: now, workers: workers)
            if pacer.isAtRest { pacers[key] = nil }
        }
        guard pacers.count >= Self.most, let oldest = pacers.min(by: { $0.value.usedAt < $1.value.usedAt }) else {
            return
        }
        pacers[oldest.key] = nil
    }
}
