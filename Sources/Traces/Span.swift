package import PushModel

/// A finished span of a trace.
package struct Span: Sendable, Hashable {
    /// The role of a span. The raw values are the numbers of OTLP's `SpanKind`.
    package enum Kind: Int, Sendable {
        case `internal` = 1
        case server, client, producer, consumer
    }

    package enum Value: Sendable, Hashable {
        case text(String)
        case integer(Int)
        case boolean(Bool)
    }

    package struct Attribute: Sendable, Hashable {
        package let key: String
        package let value: Value

        package init(_ key: String, _ value: Value) { (self.key, self.value) = (key, value) }
    }

    package struct Event: Sendable, Hashable {
        package let name: String
        package let at: Timestamp
        package let attributes: [Attribute]

        package init(_ name: String, at: Timestamp, _ attributes: [Attribute]) {
            (self.name, self.at, self.attributes) = (name, at, attributes)
        }
    }

    /// A reference to another span, with the trace state of its context.
    package struct Link: Sendable, Hashable {
        package let context: TraceContext
        package let state: String?

        package init(_ context: TraceContext, state: String?) { (self.context, self.state) = (context, state) }
    }

    package let name: String
    package let kind: Kind
    package let context: TraceContext
    package let parent: SpanID?
    /// Whether the parent span belongs to another process or to another delivery.
    package let parentIsRemote: Bool
    package let state: String?
    package let start, end: Timestamp
    package var attributes: [Attribute] = []
    package var events: [Event] = []
    package var links: [Link] = []
    /// The reason for the failure in one word, or `nil` if the span did not fail.
    package var error: String?

    package init(
        _ name: String, _ kind: Kind, _ context: TraceContext, parent: SpanID?, parentIsRemote: Bool = false,
        state: String?, from start: Timestamp, to end: Timestamp
    ) {
        (self.name, self.kind, self.context, self.parent) = (name, kind, context, parent)
        (self.parentIsRemote, self.state) = (parentIsRemote, state)
        // If the clock was set back in between, the span ends when it starts.
        (self.start, self.end) = (start, max(start, end))
    }
}
