/// A tracker that decides whether a pool's server counts as unreachable. A value type without clock or I/O. Times are
/// in milliseconds of ``Uptime``.
///
/// The server counts as unreachable if no connection has been made for at least 30 seconds after the first failed
/// attempt. The state ends when a connection is made. It also ends two hours after the last failed attempt, because the
/// pool makes no attempts while no request waits.
package struct Reachability {
    private static let patience: Int64 = 30_000
    private static let interest: Int64 = 7_200_000

    private var failingSince: Int64?
    private var lastFailure: Int64 = 0

    package init() {}

    package mutating func connected() { failingSince = nil }

    package mutating func failed(nowMilliseconds now: Int64) {
        if failingSince == nil || now - lastFailure >= Self.interest { failingSince = now }
        lastFailure = now
    }

    package func isUnreachable(nowMilliseconds now: Int64) -> Bool {
        guard let failingSince else { return false }
        return now - failingSince >= Self.patience && now - lastFailure < Self.interest
    }
}
