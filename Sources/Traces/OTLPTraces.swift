import PushModel

/// An encoder that writes spans as the body of an OTLP request (`ExportTraceServiceRequest`) in JSON. The names are in
/// lowerCamelCase, and the ids are hexadecimal. Enum values are written as numbers, and 64-bit integers as strings.
package struct OTLPTraces {
    /// The URL of the OpenTelemetry schema that defines the attribute names.
    package static let schema = "https://opentelemetry.io/schemas/1.37.0"
    /// The maximum length of a text value, in bytes. A longer text is truncated.
    static let longestText = 1_024

    private var json: [UInt8] = []

    /// Returns the body of a request that exports spans.
    ///
    /// - Parameters:
    ///   - resource: the attributes of the resource, which is the sending process.
    ///   - version: the version of Martlet.
    package static func body(_ spans: [Span], resource: [(key: String, value: String)], version: String) -> [UInt8] {
        var body = OTLPTraces()
        body.json.reserveCapacity(1_024 * (spans.count + 1))
        body.raw(#"{"resourceSpans":[{"resource":{"attributes":"#)
        body.list(resource) { body, attribute in
            body.attribute(.init(attribute.key, .text(attribute.value)))
        }
        body.raw(#"},"scopeSpans":[{"scope":{"name":"martlet","version":"#)
        body.text(version)
        body.raw(#"},"spans":"#)
        body.list(spans) { $0.span($1) }
        body.raw(#","schemaUrl":"\#(schema)"}],"schemaUrl":"\#(schema)"}]}"#)
        return body.json
    }

    private mutating func span(_ span: Span) {
        raw(#"{"traceId":"\#(span.context.trace)","spanId":"\#(span.context.span)""#)
        state(span.state)
        if let parent = span.parent { raw(#","parentSpanId":"\#(parent)""#) }
        raw(#","flags":\#(Self.flags(span.context, isRemote: span.parentIsRemote)),"name":"#)
        text(span.name)
        raw(#","kind":\#(span.kind.rawValue),"startTimeUnixNano":"\#(Self.nanoseconds(span.start))""#)
        raw(#","endTimeUnixNano":"\#(Self.nanoseconds(span.end))","attributes":"#)
        list(span.attributes) { $0.attribute($1) }
        if !span.events.isEmpty {
            raw(#","events":"#)
            list(span.events) { $0.event($1) }
        }
        if !span.links.isEmpty {
            raw(#","links":"#)
            list(span.links) { $0.link($1) }
        }
        if let error = span.error {
            raw(#","status":{"code":2,"message":"#)
            text(error)
            raw("}")
        }
        raw("}")
    }

    private mutating func event(_ event: Span.Event) {
        raw(#"{"timeUnixNano":"\#(Self.nanoseconds(event.at))","name":"#)
        text(event.name)
        raw(#","attributes":"#)
        list(event.attributes) { $0.attribute($1) }
        raw("}")
    }

    private mutating func link(_ link: Span.Link) {
        raw(#"{"traceId":"\#(link.context.trace)","spanId":"\#(link.context.span)""#)
        state(link.state)
        raw(#","attributes":[],"flags":\#(Self.flags(link.context, isRemote: true))}"#)
    }

    private mutating func state(_ state: String?) {
        guard let state else { return }
        raw(#","traceState":"#)
        text(state)
    }

    private mutating func attribute(_ attribute: Span.Attribute) {
        raw(#"{"key":"#)
        text(attribute.key)
        switch attribute.value {
        case .text(let value):
            raw(#","value":{"stringValue":"#)
            text(value)
            raw("}}")
        case .integer(let value): raw(#","value":{"intValue":"\#(value)"}}"#)
        case .boolean(let value): raw(#","value":{"boolValue":\#(value)}}"#)
        }
    }

    // MARK: Values

    /// Returns the flags of a span or link, which are the W3C flag `sampled` (0x01) and OTLP's flags. Flag 0x100 states
    /// that flag 0x200 is valid. Flag 0x200 states that the span's parent, or the linked span, is remote.
    private static func flags(_ context: TraceContext, isRemote: Bool) -> Int {
        (context.isSampled ? 1 : 0) | 0x100 | (isRemote ? 0x200 : 0)
    }

    private static func nanoseconds(_ time: Timestamp) -> String { "\(max(0, time.milliseconds))000000" }

    private mutating func list<Element>(_ elements: [Element], _ write: (inout Self, Element) -> Void) {
        raw("[")
        for (place, element) in elements.enumerated() {
            if place > 0 { raw(",") }
            write(&self, element)
        }
        raw("]")
    }

    private mutating func raw(_ text: String) { json.append(contentsOf: text.utf8) }

    private mutating func text(_ text: String) {
        guard text.utf8.count > Self.longestText else { return JSONText.append(text, to: &json) }
        var end = text.utf8.index(text.startIndex, offsetBy: Self.longestText)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        JSONText.append(String(text[..<end]), to: &json)
    }
}
