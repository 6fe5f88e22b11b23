package import PushModel

/// The properties that all outcomes of a result event share.
package struct EventKey: Hashable {
    package let kind: OutcomeKind
    package let output: String
    package let app: String
    package let environment: PushEnvironment
    /// An event carries at most one trace context.
    package let trace: TraceHeaders?

    package var routingKey: String { "\(output).\(kind.rawValue).\(app)" }
}
