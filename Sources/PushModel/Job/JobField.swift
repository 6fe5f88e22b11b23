/// A field of a job. The cases are in the order in which the fields are written, and the extensions below read and
/// write each field.
package enum JobField: UInt8, CaseIterable {
    case id, app, output, environment, credential, pushType, topic, priority, expiresAt, collapseID, sendAt, rate,
        atMostOnce
    case trim, validateOnly, results, payload, channel, recipients

    /// The name of the field's JSON member.
    var key: StaticString {
        switch self {
        case .id: "id"
        case .app: "app"
        case .output: "output"
        case .environment: "environment"
        case .credential: "credential"
        case .pushType: "push_type"
        case .topic: "topic"
        case .priority: "priority"
        case .expiresAt: "expires_at"
        case .collapseID: "collapse_id"
        case .sendAt: "send_at"
        case .rate: "rate"
        case .atMostOnce: "at_most_once"
        case .trim: "trim"
        case .validateOnly: "validate_only"
        case .results: "results"
        case .payload: "payload"
        case .channel: "channel"
        case .recipients: "recipients"
        }
    }

    package var name: String { "\(key)" }

    static let required: [JobField] = [.app, .payload]

    /// The fields, grouped by the length of their names. The index is the length in bytes.
    private static let byLength = {
        let names = allCases.map { (name: Array($0.name.utf8), field: $0) }
        return (0...(names.map(\.name.count).max() ?? 0)).map { length in names.filter { $0.name.count == length } }
    }()

    /// Returns the field with a name, or `nil` if jobs have no such field. A name without escapes is compared as bytes,
    /// without creating a string.
    static func named(_ name: Slice<UnsafeBufferPointer<UInt8>>, hasEscapes: Bool) -> JobField? {
        hasEscapes ? named(JSONText.unescaped(name)) : named(name)
    }

    private static func named(_ name: some Collection<UInt8>) -> JobField? {
        guard byLength.indices.contains(name.count) else { return nil }
        return byLength[name.count].first { $0.name.elementsEqual(name) }?.field
    }

    /// A set of fields with one bit for each.
    struct Set {
        private var bits: UInt32 = 0

        private static func bit(_ field: JobField) -> UInt32 { 1 << UInt32(field.rawValue) }

        func contains(_ field: JobField) -> Bool { bits & Self.bit(field) != 0 }

        /// Inserts a field and returns `true` if the set did not contain it before.
        mutating func insert(_ field: JobField) -> Bool {
            defer { bits |= Self.bit(field) }
            return !contains(field)
        }
    }
}

extension JobReader {
    mutating func read(
        _ field: JobField, _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONSyntaxError) {
        var value = FieldReader(scanner: scanner, bytes: bytes)
        switch field {
        case .id:
            fields.id =
                try value.text(maximum: Self.maximumIDLength, unit: "characters", { $0.unicodeScalars.count }) ?? ""
        case .app: fields.app = try value.text(maximum: JobLimits.appBytes, unit: "bytes", { $0.utf8.count }) ?? ""
        case .output:
            fields.output = try value.text(maximum: JobLimits.outputBytes, unit: "bytes", { $0.utf8.count }) ?? ""
        case .environment: fields.environment = try value.oneOf(PushEnvironment.self)
        case .credential: fields.credential = try value.uuid()
        case .pushType:
            fields.pushType = try value.text(
                maximum: JobLimits.pushTypeBytes, unit: "bytes (InvalidPushType)", { $0.utf8.count })
        case .topic:
            fields.topic = try value.text(maximum: JobLimits.topicBytes, unit: "bytes (BadTopic)", { $0.utf8.count })
        case .collapseID:
            fields.collapseID = try value.text(
                maximum: Self.maximumCollapseIDBytes, unit: "bytes (BadCollapseId)", { $0.utf8.count })
        case .priority:
            fields.priority = try value.integer().map(Int.init(clamping:))
            if let priority = fields.priority, ![1, 5, 10].contains(priority) { value.problem = "must be 1, 5 or 10" }
        case .expiresAt:
            fields.expiration = try value.timestamp().map { $0.milliseconds == 0 ? .nowOrNever : .at($0) }
        case .sendAt: fields.sendAt = try value.timestamp()
        case .rate:
            fields.rate = try value.integer().map(Int.init(clamping:))
            if let rate = fields.rate, !JobLimits.rates.contains(rate) {
                value.problem =
                    "must be a whole number from \(JobLimits.rates.lowerBound) to \(JobLimits.rates.upperBound)"
            }
        case .atMostOnce: fields.atMostOnce = try value.boolean() ?? false
        case .trim: fields.trim = try value.boolean() ?? false
        case .validateOnly: fields.validateOnly = try value.boolean() ?? false
        case .results: fields.results = try value.oneOf(Job.ResultScope.self) ?? .all
        case .payload:
            fields.payload = try value.payload() ?? 0..<0
            if bytes[fields.payload].first == UInt8(ascii: "\"") { fields.hasTextPayload = true }
            if fields.payload.count > JobLimits.payloadBytes {
                value.problem =
                    "has \(fields.payload.count) bytes, more than the \(JobLimits.payloadBytes) that a job's payload may have"
            }
        case .channel:
            if let token = try value.string(maximum: JobLimits.tokenBytes), value.problem == nil {
                appendChannel(token, bytes)
            }
        case .recipients:
            scanner = value.scanner
            return try readRecipients(&scanner, bytes)
        }
        scanner = value.scanner
        if let problem = value.problem { fault(field.name, problem) }
    }
}

extension JobField {
    /// Appends the member of this field with the job's value. The member is omitted if the job has no value. Of the
    /// recipients, only those at the given indices are written.
    func write(
        _ fields: JobFields, _ recipients: [Int], _ bytes: UnsafeBufferPointer<UInt8>, to writer: inout JSONObjectWriter
    ) {
        switch self {
        case .id: writer.member(key, string: fields.id)
        case .app: writer.member(key, string: fields.app)
        case .output: writer.member(key, string: fields.output)
        case .environment: if let environment = fields.environment { writer.member(key, string: environment.rawValue) }
        case .credential: if let credential = fields.credential { writer.member(key, string: credential) }
        case .pushType: if let pushType = fields.pushType { writer.member(key, string: pushType) }
        case .topic: if let topic = fields.topic { writer.member(key, string: topic) }
        case .priority: if let priority = fields.priority { writer.member(key, integer: Int64(priority)) }
        case .expiresAt:
            switch fields.expiration {
            case .nowOrNever: writer.member(key, integer: 0)
            case .at(let moment): writer.member(key, string: moment.rfc3339)
            case nil: break
            }
        case .collapseID: if let collapseID = fields.collapseID { writer.member(key, string: collapseID) }
        case .sendAt: break  // A job is written only after its `send_at`.
        case .rate: if let rate = fields.rate { writer.member(key, integer: Int64(rate)) }
        case .atMostOnce: if fields.atMostOnce { writer.member(key, raw: "true".utf8) }
        case .trim: if fields.trim { writer.member(key, raw: "true".utf8) }
        case .validateOnly: if fields.validateOnly { writer.member(key, raw: "true".utf8) }
        case .results: writer.member(key, string: fields.results.rawValue)
        case .payload: writer.member(key, raw: bytes[fields.payload])
        case .channel:
            if fields.isBroadcast, let channel = recipients.first {
                writer.member(key, raw: bytes[fields.recipients[channel].addressJSON])
            }
        case .recipients:
            if fields.isBroadcast { break }
            writer.array(key) { output in
                for (position, index) in recipients.enumerated() {
                    if position > 0 { output.append(UInt8(ascii: ",")) }
                    fields.recipients[index].write(bytes, to: &output)
                }
            }
        }
    }
}
