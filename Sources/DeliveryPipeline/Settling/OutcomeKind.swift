import PushModel

/// The kinds of a result event, as consumers see them.
enum OutcomeKind: String, CaseIterable {
    case sent, unregistered, rejected, failed, unknown, expired, suppressed
}
