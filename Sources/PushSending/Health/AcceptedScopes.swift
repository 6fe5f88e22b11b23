/// The last two scopes whose pushes were accepted. A scope is a topic, or an app if the output has no topics. They
/// show whether a failure concerns one topic or app alone. A value type without clock or I/O.
struct AcceptedScopes: Sendable {
    private struct Acceptance: Sendable {
        let scope: ObjectIdentifier
        var at: Int64
    }

    /// The time after an accepted push during which its credential and host are known to work, in milliseconds.
    private static let milliseconds: Int64 = 60_000

    private var last: Acceptance?
    /// The last acceptance for any scope except that of ``last``.
    private var other: Acceptance?

    mutating func accepted(_ scope: ScopeHealth, nowMilliseconds now: Int64) {
        let scope = ObjectIdentifier(scope)
        if last?.scope != scope {
            other = last
            last = Acceptance(scope: scope, at: now)
        } else {
            last?.at = now
        }
    }

    /// Returns whether a push of another topic or app has been accepted in the last minute.
    func includeOther(than scope: ScopeHealth, nowMilliseconds now: Int64) -> Bool {
        let scope = ObjectIdentifier(scope)
        func isOther(_ acceptance: Acceptance?) -> Bool {
            acceptance.map { $0.scope != scope && now - $0.at < Self.milliseconds } ?? false
        }
        return isOther(last) || isOther(other)
    }

    /// Returns whether nothing has been accepted for at least `time` milliseconds.
    func areQuiet(for time: Int64, nowMilliseconds now: Int64) -> Bool { last.map { now - $0.at >= time } ?? true }
}
