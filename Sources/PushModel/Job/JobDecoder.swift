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
        var seen: Set<JobField> = []
        do throws(JSONSyntaxError) {
            try scanner.object { (key, scanner) throws(JSONSyntaxError) in
                let name = JSONText.text(bytes[key.range], hasEscapes: key.hasEscapes)
                guard let field = JobField(rawValue: name) else {
                    fault(name, "is not a field of a job")
                    try scanner.value()
                    return
                }
                if !seen.insert(field).inserted { fault(name, "is given twice") }
                try read(field, &scanner, bytes)
            }
            try scanner.end()
        } catch {
            return fault("body", "is not valid JSON: \(error.problem) at byte \(error.offset)")
        }
        for field in JobField.required where !seen.contains(field) {
            fault(field.rawValue, "is required")
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
    private mutating func checkAddressee(_ seen: Set<JobField>) {
        guard seen.contains(.channel) else {
            if !seen.contains(.recipients) { fault("recipients", "is required, or channel for a broadcast") }
            return
        }
        for field in [JobField.recipients, .topic, .collapseID] where seen.contains(field) {
            fault(field.rawValue, "can't be given together with channel")
        }
    }

    private mutating func read(
        _ field: JobField, _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONSyntaxError) {
        var value = FieldReader(scanner: scanner, bytes: bytes)
        let name = field.rawValue
        switch field {
        case .id:
            fields.id =
                try value.text(maximum: Self.maximumIDLength, unit: "characters", \.unicodeScalars.count) ?? ""
        case .app: fields.app = try value.text(maximum: JobLimits.appBytes, unit: "bytes", \.utf8.count) ?? ""
        case .output: fields.output = try value.text(maximum: JobLimits.outputBytes, unit: "bytes", \.utf8.count) ?? ""
        case .environment: fields.environment = try value.oneOf(PushEnvironment.self)
        case .credential: fields.credential = try value.uuid()
        case .pushType:
            fields.pushType = try value.text(
                maximum: JobLimits.pushTypeBytes, unit: "bytes (InvalidPushType)", \.utf8.count)
        case .topic:
            fields.topic = try value.text(maximum: JobLimits.topicBytes, unit: "bytes (BadTopic)", \.utf8.count)
        case .collapseID:
            fields.collapseID = try value.text(
                maximum: Self.maximumCollapseIDBytes, unit: "bytes (BadCollapseId)", \.utf8.count)
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
        if let problem = value.problem { fault(name, problem) }
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

/// The names a job's fields have in JSON.
enum JobField: String, CaseIterable {
    case id, app, output, environment, credential, recipients, channel, payload
    case pushType = "push_type"
    case topic, priority
    case expiresAt = "expires_at"
    case collapseID = "collapse_id"
    case sendAt = "send_at"
    case atMostOnce = "at_most_once"
    case trim, results

    static let required: [JobField] = [.app, .payload]
}
