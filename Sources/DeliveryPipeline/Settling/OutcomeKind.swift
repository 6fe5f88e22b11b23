import PushModel

/// The kinds of a result event, as consumers see them.
package enum OutcomeKind: String, CaseIterable {
    case sent, unregistered, rejected, failed, unknown, expired, suppressed
}
