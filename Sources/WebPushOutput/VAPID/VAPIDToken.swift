import Threading

/// What proves to one origin who sends, for some hours. One for all event loops.
package final class VAPIDToken: Sendable {
    private static let never = Int64.min
    /// Every accepted message would write to memory that all event loops share.
    private static let leastBetweenMilliseconds: Int64 = 100

    /// The value of `authorization`.
    package let authorization: String
    package let schedule: VAPIDTokenSchedule
    private let accepted: Atomic<Int64>

    /// - Parameter acceptedAt: the previous token's.
    init(authorization: String, schedule: VAPIDTokenSchedule, acceptedAt: Int64?) {
        self.authorization = authorization
        self.schedule = schedule
        accepted = Atomic(acceptedAt ?? Self.never)
    }

    /// Uptime in milliseconds when the origin last accepted a message with this token or the one before, on any event
    /// loop, to within a tenth of a second; `nil` for never.
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
