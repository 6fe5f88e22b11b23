package import PushModel

/// What outcomes must share to be in one event.
package struct EventKey: Hashable {
    package let kind: OutcomeKind
    package let output: String
    package let app: String
    package let environment: PushEnvironment
    /// An event carries at most one trace context.
    package let trace: TraceHeaders?

    package var routingKey: String { "\(output).\(kind.rawValue).\(app)" }
}
