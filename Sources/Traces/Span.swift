package import PushModel

/// One step of a trace that is over. A value.
package struct Span: Sendable, Hashable {
    /// As OTLP numbers them.
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

    /// A span elsewhere, and what its context carries.
    package struct Link: Sendable, Hashable {
        package let context: TraceContext
        package let state: String?

        package init(_ context: TraceContext, state: String?) { (self.context, self.state) = (context, state) }
    }

    package let name: String
    package let kind: Kind
    package let context: TraceContext
    package let parent: SpanID?
    /// The parent is a span of another process, or of another delivery.
    package let parentIsRemote: Bool
    package let state: String?
    package let start, end: Timestamp
    package var attributes: [Attribute] = []
    package var events: [Event] = []
    package var links: [Link] = []
    /// Why it is a failure, in one word; nil: it is none.
    package var error: String?

    package init(
        _ name: String, _ kind: Kind, _ context: TraceContext, parent: SpanID?, parentIsRemote: Bool = false,
        state: String?, from start: Timestamp, to end: Timestamp
    ) {
        (self.name, self.kind, self.context, self.parent) = (name, kind, context, parent)
        (self.parentIsRemote, self.state) = (parentIsRemote, state)
        // Clocks may be set back.
        (self.start, self.end) = (start, max(start, end))
    }
}
