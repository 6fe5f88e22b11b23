package import PushModel
package import Store

/// The pushes that wait for a look-up of their token in the database, because the token may be dead. Only one look-up
/// runs at a time, and further tokens are collected until it ends. A value type without clock or I/O.
///
/// | state | next |
/// |---|---|
/// | idle, with tokens to look up | the look-up starts |
/// | looking up | after an answer, a failure or a timeout: idle, and the pushes are returned |
/// | after a failure or timeout | no look-ups for five seconds, so that a slow database does not slow down sending |
package struct LookupBuffer {
    /// A selection of a job's recipients, with the output that sends their pushes.
    struct Selection {
        let job: RoutedJob
        let output: any Output
        let recipients: [Int]
    }

    package struct Lookup: Sendable {
        package let id: UInt64
        package let keys: [DeviceTokenKey]
        /// The time at which each token was last registered, or `nil` if the job does not state it.
        let registeredAt: [Timestamp?]

        /// Returns the registrations of tokens that are marked dead, but that were registered at the time of their
        /// death or later.
        package func registrations(against deaths: [Int: Timestamp]) -> [TokenRegistration] {
            deaths.compactMap { place, death in
                guard let registered = registeredAt[place], registered >= death else { return nil }
                return TokenRegistration(key: keys[place], registeredAt: registered)
            }
        }
    }

    /// The number of tokens at or above which a look-up is full. A look-up may have more tokens, because the tokens of
    /// a job stay together.
    private static let enoughTokens = 5_000
    private static let pauseMilliseconds: Int64 = 5_000

    var filter: DeadTokenFilter?
    private var queue = StatementQueue<Selection>()
    private var pausedUntil: Timestamp?

    var knownTokens: Int { filter?.count ?? 0 }
    var filterBytes: Int { filter?.bytes ?? 0 }

    /// Returns the indices of the recipients whose token may be dead according to the filter, usually none.
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

    /// Returns the next look-up, or `nil` if one is running or there are no tokens.
    mutating func next(id: UInt64) -> Lookup? {
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
        return Lookup(id: id, keys: keys, registeredAt: registeredAt)
    }

    /// Removes and returns the pushes of an answered look-up. The list is empty if the answer was too late.
    mutating func answered(_ id: UInt64) -> [Selection] { queue.answered(id)?.compactMap(\.self) ?? [] }

    /// Removes and returns all waiting pushes after a look-up failed or timed out, so that they can be sent. Pauses
    /// further look-ups.
    mutating func failed(_ id: UInt64, now: Timestamp) -> [Selection] {
        guard let asked = queue.answered(id) else { return [] }
        pausedUntil = Timestamp(milliseconds: now.milliseconds + Self.pauseMilliseconds)
        return asked.compactMap(\.self) + queue.takeOut().gathering
    }
}

extension RoutedJob {
    /// Returns the registry's key for a recipient's token.
    func key(of recipient: Int) -> DeviceTokenKey {
        DeviceTokenKey(
            output: job.output, app: job.app, environment: environment, form: traits.recipients,
            token: String(decoding: job.bytes(job.recipients[recipient].token), as: UTF8.self))
    }
}
