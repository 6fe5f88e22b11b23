import PushModel

/// A kind of outcome in result events, by the name that consumers receive.
package enum OutcomeKind: String, CaseIterable {
    case sent, unregistered, rejected, failed, unknown, expired, suppressed

    /// The index of the kind in ``allCases``.
    package var place: Int {
        switch self {
        case .sent: 0
        case .unregistered: 1
        case .rejected: 2
        case .failed: 3
        case .unknown: 4
        case .expired: 5
        case .suppressed: 6
        }
    }
}
