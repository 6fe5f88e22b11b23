/// Whether a pool's server lets it in. A value without a clock; times are milliseconds of ``Uptime``.
///
/// | it is | when |
/// |---|---|
/// | unreachable | no connection has come about in half a minute or longer, since the first attempt that failed |
/// | not known to be | one has; or nothing was tried for two hours, so that nobody waits for it any more |
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
