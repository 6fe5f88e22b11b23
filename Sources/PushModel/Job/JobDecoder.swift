/// Reads a message body as a ``Job`` in one pass, checking everything the contract says of its form.
///
/// What only a provider can judge (push types, topics, a device token's form) is left to the output.
public enum JobDecoder {
    /// - Parameters:
    ///   - body: the message body.
    ///   - messageID: the message's `message_id` property, which is the job's id when the body has none.
    ///   - makeID: gives an id to a job that has neither.
    public static func decode(
        _ body: [UInt8], messageID: String? = nil, traceparent: String? = nil, limits: JobLimits = JobLimits(),
        makeID: () -> String
    ) throws(JobRejection) -> Job {
        var reader = JobReader(bodyLength: body.count, limits: limits)
        body.withUnsafeBufferPointer { reader.read($0) }
        let id = [reader.fields.id, messageID ?? ""].first { !$0.isEmpty }
        if reader.fields.id.isEmpty, let messageID, messageID.contains("\u{FFFD}") {
            // What was not UTF-8 reads so, and ids that differ in it would be one.
            reader.fault("message_id", "is no text: it has U+FFFD, the replacement character")
        }
        guard reader.faults.isEmpty else {
            throw JobRejection(
                jobID: id, app: reader.fields.app.isEmpty ? nil : reader.fields.app, faults: reader.faults)
        }
        reader.fields.hasGivenID = id != nil
        reader.fields.id = id ?? makeID()
        return Job(
            reader.fields, storage: reader.unescapedTokens.isEmpty ? body : body + reader.unescapedTokens,
            bodyLength: body.count, traceparent: traceparent)
    }
}

/// Collects a job's fields and every fault among them; only broken JSON ends the reading early.
struct JobReader {
    static let maximumIDLength = 128
    static let maximumCollapseIDBytes = 64
    /// Beyond this many faults the rest adds nothing; a job may have a million recipients.
    static let maximumFaults = 20

    var fields = JobFields()
    private(set) var faults: [JobRejection.Fault] = []
    private(set) var unescapedTokens: [UInt8] = []
    private let bodyLength: Int
    private let limits: JobLimits
    /// Place in the list of the recipient being read.
    private var recipientIndex = 0

    init(bodyLength: Int, limits: JobLimits) {
        self.bodyLength = bodyLength
        self.limits = limits
    }

    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bodyLength < UInt32.max / 2 else { return fault("body", "is larger than 2 GiB") }
        guard (try? UTF8Span(validating: bytes.span)) != nil else { return fault("body", "is not valid UTF-8") }
        var scanner = JSONScanner(bytes)
        guard scanner.nextKind() == .object else { return fault("body", "is not a JSON object") }
        var seen = JobField.Set()
        do throws(JSONSyntaxError) {
            try scanner.object { (key, scanner) throws(JSONSyntaxError) in
                guard let field = JobField.named(bytes[key.range], hasEscapes: key.hasEscapes) else {
                    fault(
                        JSONText.text(bytes[key.range], hasEscapes: key.hasEscapes), "is not a field of a job")
                    try scanner.value()
                    return
                }
                if !seen.insert(field) { fault(field.name, "is given twice") }
                try read(field, &scanner, bytes)
            }
            try scanner.end()
        } catch {
            return fault("body", "is not valid JSON: \(error.problem) at byte \(error.offset)")
        }
        for field in JobField.required where !seen.contains(field) {
            fault(field.name, "is required")
        }
        checkAddressee(seen)
        checkTimes()
    }

    private mutating func checkTimes() {
        guard let sendAt = fields.sendAt else { return }
        switch fields.expiration {
        case .at(let deadline) where deadline <= sendAt: fault("expires_at", "is not later than send_at")
        default: break
        }
    }

    /// A job goes to devices or to a channel; a channel has neither a topic nor anything to collapse.
    private mutating func checkAddressee(_ seen: JobField.Set) {
        guard seen.contains(.channel) else {
            if !seen.contains(.recipients) { fault("recipients", "is required, or channel for a broadcast") }
            return
        }
        for field in [JobField.recipients, .topic, .collapseID] where seen.contains(field) {
            fault(field.name, "can't be given together with channel")
        }
    }

    private mutating func read(
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
        case .atMostOnce: fields.atMostOnce = try value.boolean() ?? false
        case .trim: fields.trim = try value.boolean() ?? false
        case .results: fields.results = try value.oneOf(Job.ResultScope.self) ?? .all
        case .payload:
            fields.payload = try value.object() ?? 0..<0
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

    private mutating func readRecipients(
        _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONSyntaxError) {
        guard scanner.nextKind() == .array else {
            try scanner.value()
            return fault("recipients", "must be an array")
        }
        // A token of 32 bytes takes 67 bytes of JSON: reserving by that keeps the list from growing by halves.
        fields.recipients.reserveCapacity(min((bytes.count - scanner.position) / 67, limits.recipients))
        try scanner.array { (scanner) throws(JSONSyntaxError) in
            switch scanner.nextKind() {
            case .string:
                var value = FieldReader(scanner: scanner, bytes: bytes)
                let token = try value.string(maximum: JobLimits.tokenBytes)
                scanner = value.scanner
                if let problem = value.problem {
                    fault(place(), problem)
                } else if let token {
                    append(token: token, ref: nil, payload: nil, registeredAt: nil, bytes)
                }
            case .object:
                try readRecipient(&scanner, bytes)
            default:
                try scanner.value()
                fault(place(), "must be a device token or an object with one")
            }
            recipientIndex += 1
        }
        if recipientIndex == 0 { fault("recipients", "must not be empty") }
        if recipientIndex > limits.recipients {
            fault("recipients", "has \(recipientIndex), more than jobs.maximum_recipients = \(limits.recipients)")
        }
    }

    private mutating func readRecipient(
        _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONSyntaxError) {
        var tokenIsGiven = false
        var token: JSONScanner.StringToken?
        var ref: Range<Int>?
        var payload: Range<Int>?
        var registeredAt: Timestamp?
        try scanner.object { (key, scanner) throws(JSONSyntaxError) in
            let name = JSONText.text(bytes[key.range], hasEscapes: key.hasEscapes)
            var value = FieldReader(scanner: scanner, bytes: bytes)
            let isRepeated =
                switch name {
                case "token": tokenIsGiven
                case "ref": ref != nil
                case "registered_at": registeredAt != nil
                case "payload": payload != nil
                default: false
                }
            if isRepeated { value.problem = "is given twice" }
            switch name {
            case "token":
                token = try value.string(maximum: JobLimits.tokenBytes)
                tokenIsGiven = true
            case "ref":
                ref = try value.string(maximum: JobLimits.refBytes).map {
                    $0.range.lowerBound - 1..<$0.range.upperBound + 1
                }
            case "registered_at":
                registeredAt = try value.timestamp()
                if let registeredAt, registeredAt > limits.latestRegistration {
                    value.problem = "\(registeredAt.rfc3339) is in the future"
                }
            case "payload": payload = try value.object()
            default:
                try value.scanner.value()
                value.problem = "is not a field of a recipient"
            }
            scanner = value.scanner
            if let problem = value.problem { fault("\(place()).\(name)", problem) }
        }
        guard let token else {
            if !tokenIsGiven { fault("\(place()).token", "is required") }
            return
        }
        append(token: token, ref: ref, payload: payload, registeredAt: registeredAt, bytes)
    }

    private mutating func appendChannel(_ token: JSONScanner.StringToken, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard !token.range.isEmpty else { return fault("channel", "must not be empty") }
        fields.isBroadcast = true
        append(token: token, ref: nil, payload: nil, registeredAt: nil, bytes)
    }

    private mutating func append(
        token: JSONScanner.StringToken, ref: Range<Int>?, payload: Range<Int>?, registeredAt: Timestamp?,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) {
        // Counted, and not kept: what is refused for its size must not take more than its size.
        guard recipientIndex < limits.recipients else { return }
        if token.range.isEmpty { fault(place(), "has an empty device token") }
        var range = token.range
        if token.hasEscapes {
            let start = bodyLength + unescapedTokens.count
            unescapedTokens += JSONText.unescaped(bytes[token.range])
            range = start..<bodyLength + unescapedTokens.count
        }
        fields.recipients.append(
            Recipient(
                token: range, tokenJSON: token.range.lowerBound - 1..<token.range.upperBound + 1, ref: ref,
                payload: payload, registeredAt: registeredAt))
    }

    private func place() -> String { "recipients[\(recipientIndex)]" }

    fileprivate mutating func fault(_ field: String, _ problem: String) {
        if faults.count < Self.maximumFaults { faults.append(.init(field: field, problem: problem)) }
    }
}

/// The fields of a job.
enum JobField: UInt8, CaseIterable {
    case id, app, output, environment, credential, recipients, channel, payload, pushType, topic, priority, expiresAt
    case collapseID, sendAt, atMostOnce, trim, results

    /// In JSON.
    var name: String {
        switch self {
        case .pushType: "push_type"
        case .expiresAt: "expires_at"
        case .collapseID: "collapse_id"
        case .sendAt: "send_at"
        case .atMostOnce: "at_most_once"
        default: String(describing: self)
        }
    }

    static let required: [JobField] = [.app, .payload]

    private static let all = allCases.map { (name: Array($0.name.utf8), field: $0) }

    /// Known by its bytes as they are mostly written, without a text made of them.
    static func named(_ name: Slice<UnsafeBufferPointer<UInt8>>, hasEscapes: Bool) -> JobField? {
        if hasEscapes { return named(JSONText.unescaped(name)) }
        return all.first { $0.name.count == name.count && $0.name.elementsEqual(name) }?.field
    }

    private static func named(_ name: [UInt8]) -> JobField? { all.first { $0.name == name }?.field }

    /// A bit for each.
    struct Set {
        private var bits: UInt32 = 0

        private static func bit(_ field: JobField) -> UInt32 { 1 << UInt32(field.rawValue) }

        func contains(_ field: JobField) -> Bool { bits & Self.bit(field) != 0 }

        /// - Returns: whether it is new.
        mutating func insert(_ field: JobField) -> Bool {
            defer { bits |= Self.bit(field) }
            return !contains(field)
        }
    }
}
