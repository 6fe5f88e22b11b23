/// The apps whose batches a receiver has answered. They show whether a failure concerns one app alone. A value type
/// without clock or I/O.
package struct AnsweredApps {
    private struct Answer {
        let app: String
        let at: Int64
    }

    /// How long an answer shows that the receiver works, in milliseconds.
    private static let milliseconds: Int64 = 60_000

    private var last: Answer?
    /// The last answer for an app other than that of ``last``.
    private var other: Answer?
    /// The app of the last failure since the last answer.
    private var failing: String?

    package init() {}

    package mutating func answered(_ app: String, nowMilliseconds now: Int64) {
        failing = nil
        if let last, last.app != app { other = last }
        last = Answer(app: app, at: now)
    }

    /// Records that a batch failed.
    ///
    /// - Returns: Whether only this app's batches fail: the receiver has answered another app in the last minute, and
    ///   since its last answer no other app's batch has failed.
    package mutating func isOnlyFailing(_ app: String, nowMilliseconds now: Int64) -> Bool {
        defer { failing = app }
        guard failing == nil || failing == app else { return false }
        return [last, other].contains { $0.map { $0.app != app && now - $0.at < Self.milliseconds } ?? false }
    }
}
