import Threading

/// What proves to one origin who sends, for some hours. One for all event loops.
package final class VAPIDToken: Sendable {
    private static let never = Int64.min
    /// The least time between updates, in milliseconds. Without it, every accepted message would write to memory shared
    /// by all event loops.
    private static let leastBetweenMilliseconds: Int64 = 100

    /// The value of `authorization`.
    package let authorization: String
    package let schedule: VAPIDTokenSchedule
    private let accepted: Atomic<Int64>

    /// - Parameter acceptedAt: the value of the previous token.
    init(authorization: String, schedule: VAPIDTokenSchedule, acceptedAt: Int64?) {
        self.authorization = authorization
        self.schedule = schedule
        accepted = Atomic(acceptedAt ?? Self.never)
    }

    /// The uptime in milliseconds at which the origin last accepted a message with this token or the previous one, or
    /// `nil` if never. It covers all event loops and is exact to a tenth of a second.
    var acceptedAt: Int64? {
        let time = accepted.load(ordering: .relaxed)
        return time == Self.never ? nil : time
    }

    func accepted(uptime now: Int64) {
        let last = accepted.load(ordering: .relaxed)
        if last == Self.never || now - last >= Self.leastBetweenMilliseconds {
            accepted.store(now, ordering: .relaxed)
        }
    }
}
