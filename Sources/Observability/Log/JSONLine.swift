import Foundations
import Logging
import PushModel

/// A log line as a JSON object with OpenTelemetry's names and a bounded size. Long values are truncated and end with
/// `…`, and excess elements are dropped. The attribute `log.cut` is then `true`.
package struct JSONLine {
    private static let longestValue = 4_000
    private static let longestLine = 16_000
    private static let deepest = 4
    private static let mostElements = 100

    private var bytes: [UInt8] = []
    private var isCut = false

    package static func bytes(_ line: LogLine, _ resource: LogResource) -> [UInt8] {
        var json = JSONLine()
        json.append(line, resource)
        return json.bytes
    }

    /// The metadata keys that become top-level fields, as in OpenTelemetry's log data model.
    private static let topLevel = ["trace_id", "span_id"]

    private mutating func append(_ line: LogLine, _ resource: LogResource) {
        var attributes = line.metadata
        raw("{\"timestamp\":")
        string(line.at.rfc3339)
        raw(",\"severity_text\":")
        string(line.level.rawValue)
        raw(",\"severity_number\":\(line.level.openTelemetryNumber),\"body\":")
        string(line.message)
        for key in Self.topLevel {
            guard let id = attributes.removeValue(forKey: key) else { continue }
            raw(",\"\(key)\":")
            value(id, depth: 0)
        }
        raw(",\"resource\":{")
        for (place, attribute) in resource.attributes.enumerated() {
            if place > 0 { raw(",") }
            string(attribute.key)
            raw(":")
            string(attribute.value)
        }
        raw("},\"attributes\":{")
        var isFirst = true
        if let event = line.event {
            member("event.name", .string(event.name), depth: 0, &isFirst)
        }
        members(attributes, depth: 0, &isFirst)
        if isCut { member("log.cut", .stringConvertible(true), depth: 0, &isFirst) }
        raw("}}")
    }

    // MARK: Values

    private mutating func members(_ values: Logger.Metadata, depth: Int, _ isFirst: inout Bool) {
        for (place, (key, value)) in values.sorted(by: { $0.key < $1.key }).enumerated() {
            guard place < Self.mostElements, bytes.count < Self.longestLine else { return isCut = true }
            member(key, value, depth: depth, &isFirst)
        }
    }

    private mutating func member(_ key: String, _ value: Logger.MetadataValue, depth: Int, _ isFirst: inout Bool) {
        if !isFirst { raw(",") }
        isFirst = false
        string(key)
        raw(":")
        self.value(value, depth: depth)
    }

    private mutating func value(_ value: Logger.MetadataValue, depth: Int) {
        switch value {
        case .string(let text): string(text)
        case .stringConvertible(let number as Int): raw("\(number)")
        case .stringConvertible(let flag as Bool): raw(flag ? "true" : "false")
        case .stringConvertible(let number as Double) where number.isFinite: raw("\(number)")
        case .stringConvertible(let other): string("\(other)")
        case .array, .dictionary:
            guard depth < Self.deepest else {
                isCut = true
                return string("…")
            }
            nested(value, depth: depth + 1)
        }
    }

    private mutating func nested(_ value: Logger.MetadataValue, depth: Int) {
        var isFirst = true
        switch value {
        case .dictionary(let values):
            raw("{")
            members(values, depth: depth, &isFirst)
            raw("}")
        case .array(let values):
            raw("[")
            for (place, value) in values.enumerated() {
                guard place < Self.mostElements, bytes.count < Self.longestLine else {
                    isCut = true
                    break
                }
                if place > 0 { raw(",") }
                self.value(value, depth: depth)
            }
            raw("]")
        case .string, .stringConvertible: break
        }
    }

    // MARK: Text

    private mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Appends a JSON string. It escapes the characters that JSON requires, and also the characters that a terminal
    /// would interpret or hide. A string that is too long after escaping is truncated.
    private mutating func string(_ text: String) {
        let start = bytes.count
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            guard bytes.count - start < Self.longestValue else {
                isCut = true
                raw("…")
                break
            }
            append(scalar)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": raw("\\\"")
        case "\\": raw("\\\\")
        case "\n": raw("\\n")
        case _ where scalar.value >= 0x20 && scalar.value < 0x7F: bytes.append(UInt8(scalar.value))
        case _ where scalar.isUnseen:
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                raw("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            }
        default: bytes.append(contentsOf: String(scalar).utf8)
        }
    }
}

extension Logger.Level {
    /// The `SeverityNumber` of OpenTelemetry's log data model.
    var openTelemetryNumber: Int {
        switch self {
        case .trace: 1
        case .debug: 5
        case .info: 9
        case .notice: 10
        case .warning: 13
        case .error: 17
        case .critical: 21
        }
    }

    /// The syslog priority, which systemd reads from the beginning of a log line.
    var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
