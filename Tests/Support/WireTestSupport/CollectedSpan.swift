import Foundation

/// A span that a collector has received. Violations of OTLP or of OpenTelemetry's conventions are recorded as problems.
package struct CollectedSpan: Sendable, Hashable {
    package let name: String
    package let kind: Int
    package let trace, id: String
    package let parent: String?
    package let state: String?
    package let attributes: [String: String]
    package let events: [[String: String]]
    /// The linked spans, each as a trace id and a span id joined by a hyphen.
    package let links: [String]
    package let error: String?
    package let start, end: UInt64

    /// Reads the spans of a request.
    /// - Parameter problems: a list to which the problems of the request are added.
    package static func read(_ body: [UInt8], _ problems: inout [String]) -> [CollectedSpan] {
        guard let all = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
            problems.append("no JSON object")
            return []
        }
        var reader = Reader()
        defer { problems += reader.problems }
        return reader.request(all)
    }
}

private struct Reader {
    var problems: [String] = []

    mutating func request(_ body: [String: Any]) -> [CollectedSpan] {
        keys(body, ["resourceSpans"], optional: [], "request")
        return objects(body["resourceSpans"]).flatMap { resource in
            keys(resource, ["resource", "scopeSpans", "schemaUrl"], optional: [], "resourceSpans")
            let who = attributes((resource["resource"] as? [String: Any])?["attributes"], "resource")
            for key in ["service.name", "service.version", "service.instance.id"] where who[key]?.isEmpty != false {
                problems.append("the resource has no \(key)")
            }
            return objects(resource["scopeSpans"]).flatMap { scope in
                keys(scope, ["scope", "spans", "schemaUrl"], optional: [], "scopeSpans")
                return objects(scope["spans"]).map { span($0) }
            }
        }
    }

    private mutating func span(_ span: [String: Any]) -> CollectedSpan {
        let name = span["name"] as? String ?? ""
        keys(
            span, ["traceId", "spanId", "flags", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes"],
            optional: ["traceState", "parentSpanId", "events", "links", "status"], name)
        let all = attributes(span["attributes"], name)
        let events = objects(span["events"]).map { event in
            keys(event, ["timeUnixNano", "name", "attributes"], optional: [], "\(name): event")
            _ = time(event["timeUnixNano"], "\(name): event")
            return attributes(event["attributes"], "\(name): event")
        }
        let links = objects(span["links"]).map { link in
            keys(link, ["traceId", "spanId", "flags", "attributes"], optional: ["traceState"], "\(name): link")
            return id(link["traceId"], 32, "\(name): link") + "-" + id(link["spanId"], 16, "\(name): link")
        }
        if events.count > 8 { problems.append("\(name) has \(events.count) events") }
        let (start, end) = (time(span["startTimeUnixNano"], name), time(span["endTimeUnixNano"], name))
        if end < start { problems.append("\(name) ends before it begins") }
        let error = (span["status"] as? [String: Any]).map { status in
            if status["code"] as? Int != 2 { problems.append("\(name) has a status other than error") }
            return status["message"] as? String ?? ""
        }
        if error != all["error.type"] { problems.append("\(name) has status \(error ?? "-"), but error.type differs") }
        let collected = CollectedSpan(
            name: name, kind: span["kind"] as? Int ?? 0, trace: id(span["traceId"], 32, name),
            id: id(span["spanId"], 16, name), parent: span["parentSpanId"].map { id($0, 16, name) },
            state: span["traceState"] as? String, attributes: all, events: events, links: links, error: error,
            start: start, end: end)
        checkConventions(collected)
        return collected
    }

    /// Checks OpenTelemetry's conventions for messaging spans.
    private mutating func checkConventions(_ span: CollectedSpan) {
        if !(1...5).contains(span.kind) { problems.append("\(span.name) has kind \(span.kind)") }
        for key in span.attributes.keys where key.wholeMatch(of: /[a-z][a-z0-9_]*(\.[a-z0-9_]+)+/) == nil {
            problems.append("\(span.name) has an unexpected attribute \(key)")
        }
        guard span.attributes.keys.contains(where: { $0.hasPrefix("messaging.") }) else { return }
        let operation = span.attributes["messaging.operation.name"] ?? ""
        let destination = span.attributes["messaging.destination.name"] ?? ""
        if span.attributes["messaging.system"] != "rabbitmq" { problems.append("\(span.name) has no messaging.system") }
        if span.name != "\(operation) \(destination)" {
            problems.append("\(span.name) does not consist of operation and destination")
        }
        let kinds = ["create": 4, "send": 4, "receive": 3, "process": 5, "settle": 3]
        if kinds[span.attributes["messaging.operation.type"] ?? ""] != span.kind {
            problems.append("\(span.name) is of kind \(span.kind)")
        }
    }

    // MARK: Values

    private mutating func objects(_ value: Any?) -> [[String: Any]] {
        guard let value else { return [] }
        guard let objects = value as? [[String: Any]] else {
            problems.append("not a list of objects: \(value)")
            return []
        }
        return objects
    }

    private mutating func keys(_ object: [String: Any], _ required: [String], optional: [String], _ what: String) {
        for key in required where object[key] == nil { problems.append("\(what) has no \(key)") }
        for key in object.keys where !required.contains(key) && !optional.contains(key) {
            problems.append("\(what) has an unexpected \(key)")
        }
    }

    private mutating func id(_ value: Any?, _ digits: Int, _ what: String) -> String {
        let text = value as? String ?? ""
        if text.count != digits || text.wholeMatch(of: /[0-9a-f]+/) == nil || text.allSatisfy({ $0 == "0" }) {
            problems.append("\(what) has an invalid id \(text)")
        }
        return text
    }

    /// Returns a time in nanoseconds, which is encoded as text.
    private mutating func time(_ value: Any?, _ what: String) -> UInt64 {
        guard let text = value as? String, let time = UInt64(text), text.count == 19 else {
            problems.append("\(what) has an invalid time \(value ?? "-")")
            return 0
        }
        return time
    }

    private mutating func attributes(_ value: Any?, _ what: String) -> [String: String] {
        var found: [String: String] = [:]
        for attribute in objects(value) {
            keys(attribute, ["key", "value"], optional: [], "\(what): attribute")
            let key = attribute["key"] as? String ?? ""
            let values = attribute["value"] as? [String: Any] ?? [:]
            if found[key] != nil { problems.append("\(what) has \(key) twice") }
            switch values.first {
            case ("stringValue", let text as String)?: found[key] = text
            case ("intValue", let number as String)? where Int64(number) != nil: found[key] = number
            case ("boolValue", let flag as Bool)?: found[key] = "\(flag)"
            default: problems.append("\(what): \(key) has an invalid value \(values)")
            }
        }
        return found
    }
}
