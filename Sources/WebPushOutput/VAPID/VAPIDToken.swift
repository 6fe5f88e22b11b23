import Threading

/// What proves to one origin who sends, for some hours. One for all event loops.
package final class VAPIDToken: Sendable {
    /// The value of `authorization`.
    package let authorization: String
    package let schedule: VAPIDTokenSchedule
    private let proven: Atomic<Bool>

    init(authorization: String, schedule: VAPIDTokenSchedule, isProven: Bool) {
        self.authorization = authorization
        self.schedule = schedule
        proven = Atomic(isProven)
    }

    /// The origin has accepted it, or the one before, and has not called the key refused since.
    var isProven: Bool { proven.load(ordering: .relaxed) }

    /// For every message that was accepted, so it writes only where that is news.
    func accepted() {
        if !isProven { proven.store(true, ordering: .relaxed) }
    }

    func refused() { proven.store(false, ordering: .relaxed) }
}
