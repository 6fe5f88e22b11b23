package import PushModel
package import Store

/// Pushes whose token may be dead, on their way to the database and back: one question at a time, the rest gathers
/// meanwhile. A value: no clock, no I/O.
///
/// | it is | and then |
/// |---|---|
/// | idle, with tokens that are not cleared | asks |
/// | asking | answered, failed or too late: idle; those it asked about are handed out |
/// | failed or too late | clears all for five seconds: a database that is slow or away must not slow sending down |
package struct LookUpBuffer {
    /// Some recipients of a job.
    struct Selection {
        let job: RoutedJob
        let output: any Output
        let recipients: [Int]
    }

    package struct LookUp: Sendable {
        package let id: UInt64
        package let keys: [DeviceTokenKey]
        /// What the jobs say about when these tokens were handed in.
        let registeredAt: [Timestamp?]

        /// The tokens that are marked, and of which a job says that they were handed in after their death.
        package func registrations(against deaths: [Int: Timestamp]) -> [TokenRegistration] {
            deaths.compactMap { place, death in
                guard let registered = registeredAt[place], registered >= death else { return nil }
                return TokenRegistration(key: keys[place], registeredAt: registered)
            }
        }
    }

    /// A statement's worth. A job's tokens stay together, so there may be more.
    private static let enoughTokens = 5_000
    private static let pauseMilliseconds: Int64 = 5_000

    var filter: DeadTokenFilter?
    private var queue = StatementQueue<Selection>()
    private var pausedUntil: Timestamp?

    var knownTokens: Int { filter?.count ?? 0 }
    var filterBytes: Int { filter?.bytes ?? 0 }

    /// The recipients that the filter does not clear; mostly none.
    func uncleared(among routed: RoutedJob, now: Timestamp) -> [Int] {
        let (job, form) = (routed.job, routed.traits.recipients)
        guard let filter, filter.count > 0 else { return [] }
        if let pausedUntil, now < pausedUntil { return [] }
        let seed = TokenHash.seed(output: job.output, app: job.app, environment: routed.environment)
        return job.withBytes { bytes in
            var uncleared: [Int] = []
            for (index, recipient) in job.recipients.enumerated() where !recipient.kind.isBroadcast {
                let token = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[recipient.token]))
                let hash = TokenHash.hash(address: token, form: form, seed: seed)
                if filter.mayContain(hash) { uncleared.append(index) }
            }
            return uncleared
        }
    }

    mutating func add(_ selection: Selection) { queue.add(selection) }

    /// What to ask next, unless something is being asked or there is nothing.
    mutating func next(id: UInt64) -> LookUp? {
        guard queue.canAsk else { return nil }
        var tokens = 0
        let last = queue.gathering.firstIndex {
            tokens += $0.recipients.count
            return tokens >= Self.enoughTokens
        }
        guard let asked = queue.next(id: id, atMost: last.map { $0 + 1 } ?? .max) else { return nil }
        var keys: [DeviceTokenKey] = []
        var registeredAt: [Timestamp?] = []
        for selection in asked {
            let job = selection.job.job
            for index in selection.recipients {
                keys.append(selection.job.key(of: index))
                registeredAt.append(job.recipients[index].registeredAt)
            }
        }
        return LookUp(id: id, keys: keys, registeredAt: registeredAt)
    }

    /// The database has answered; empty when it was too late.
    mutating func answered(_ id: UInt64) -> [Selection] { queue.answered(id)?.compactMap(\.self) ?? [] }

    /// It has not, or too late; all that wait are to be sent.
    mutating func failed(_ id: UInt64, now: Timestamp) -> [Selection] {
        guard let asked = queue.answered(id) else { return [] }
        pausedUntil = Timestamp(milliseconds: now.milliseconds + Self.pauseMilliseconds)
        return asked.compactMap(\.self) + queue.takeOut().gathering
    }
}

extension RoutedJob {
    /// What the registry knows a recipient's token by.
    func key(of recipient: Int) -> DeviceTokenKey {
        DeviceTokenKey(
            output: job.output, app: job.app, environment: environment, form: traits.recipients,
            token: String(decoding: job.bytes(job.recipients[recipient].token), as: UTF8.self))
    }
}
