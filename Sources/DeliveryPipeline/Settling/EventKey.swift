package import Contract
package import PushModel

/// The properties that all outcomes of a result event share.
package struct EventKey: Hashable {
    package let kind: OutcomeKind
    package let output: String
    package let app: String
    package let environment: PushEnvironment
    /// The trace to which the outcomes' jobs belong, or `nil` if they belong to none. An event carries at most one
    /// trace.
    package let trace: TraceHeaders?

    package var routingKey: String { "\(output).\(kind.rawValue).\(app)" }
}
