import Foundations

/// The time at which an origin last accepted a message with a key. All event loops, and all tokens of this key for this
/// origin, share the object.
package final class KeyProof: Sendable {
    private static let never = Int64.min
    /// The minimum time between updates, in milliseconds. Without this limit, every accepted message would write to
    /// memory that all event loops share.
    private static let leastBetweenMilliseconds: Int64 = 100

    private let accepted = Atomic(never)

    init() {}

    /// The uptime of the last accepted message in milliseconds, exact to a tenth of a second, or `nil` if there was
    /// none.
    package var acceptedAt: Int64? {
        let time = accepted.load(ordering: .relaxed)
        return time == Self.never ? nil : time
    }

    package func accepted(uptime now: Int64) {
        let last = accepted.load(ordering: .relaxed)
        if last == Self.never || now - last >= Self.leastBetweenMilliseconds {
            accepted.store(now, ordering: .relaxed)
        }
    }
}
