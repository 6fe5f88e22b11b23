/// A reader that collects the fields of a job and all faults in them. It stops early only if the body is too large,
/// not UTF-8 or not a valid JSON object.
struct JobReader {
    static let maximumIDLength = 128
    static let maximumCollapseIDBytes = 64
    /// The maximum number of faults that are reported. A job may have a million recipients, and further faults add no
    /// information.
    static let maximumFaults = 20

    var fields = JobFields()
    private(set) var faults: [JobRejection.Fault] = []
    /// The unescaped forms of the tokens with escapes, one after the other.
    private(set) var unescapedTokens: [UInt8] = []
    private let bodyLength: Int
    private let limits: JobLimits
    /// The index of the recipient that is being read.
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

    /// Checks that the job has either recipients or a channel. A job to a channel must not have a topic or a collapse
    /// id.
    private mutating func checkAddressee(_ seen: JobField.Set) {
        guard seen.contains(.channel) else {
            if !seen.contains(.recipients) { fault("recipients", "is required, or channel for a broadcast") }
            return
        }
        for field in [JobField.recipients, .topic, .collapseID] where seen.contains(field) {
            fault(field.name, "cannot be combined with channel")
        }
    }

    mutating func readRecipients(
        _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONSyntaxError) {
        guard scanner.nextKind() == .array else {
            try scanner.value()
            return fault("recipients", "must be an array")
        }
        // A token of 32 bytes takes 67 bytes of JSON. The reserved capacity keeps the list from growing repeatedly.
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
                    append(.token, token, token.quoted, ref: nil, payload: nil, registeredAt: nil, bytes)
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
        var recipient = RecipientReader(latestRegistration: limits.latestRegistration)
        try scanner.object { (key, scanner) throws(JSONSyntaxError) in
            let name = JSONText.text(bytes[key.range], hasEscapes: key.hasEscapes)
            var value = FieldReader(scanner: scanner, bytes: bytes)
            try recipient.read(name, &value)
            scanner = value.scanner
            if let problem = value.problem { fault("\(place()).\(name)", problem) }
        }
        guard let kind = recipient.kind else { return fault("\(place()).token", "is required") }
        guard let token = recipient.token else { return }
        if let payload = recipient.payload, bytes[payload.lowerBound] == UInt8(ascii: "\"") {
            fields.hasTextPayload = true
        }
        append(
            kind, token, recipient.addressJSON, ref: recipient.ref, payload: recipient.payload,
            registeredAt: recipient.registeredAt, bytes)
    }

    mutating func appendChannel(_ token: JSONScanner.StringToken, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard !token.range.isEmpty else { return fault("channel", "must not be empty") }
        append(.channel, token, token.quoted, ref: nil, payload: nil, registeredAt: nil, bytes)
    }

    private mutating func append(
        _ kind: AddressKind, _ token: JSONScanner.StringToken, _ addressJSON: Range<Int>, ref: Range<Int>?,
        payload: Range<Int>?, registeredAt: Timestamp?, _ bytes: UnsafeBufferPointer<UInt8>
    ) {
        // Recipients above the limit are counted but not stored, so that they take no memory beyond the message itself.
        guard recipientIndex < limits.recipients else { return }
        if token.range.isEmpty { fault(place(), "has an empty \(kind == .token ? "device token" : kind.name)") }
        var range = token.range
        if token.hasEscapes {
            let start = bodyLength + unescapedTokens.count
            unescapedTokens += JSONText.unescaped(bytes[token.range])
            range = start..<bodyLength + unescapedTokens.count
        }
        fields.addresses.insert(AddressKinds(kind))
        fields.recipients.append(
            Recipient(
                kind, token: range, addressJSON: addressJSON, ref: ref, payload: payload, registeredAt: registeredAt))
    }

    private func place() -> String { "recipients[\(recipientIndex)]" }

    mutating func fault(_ field: String, _ problem: String) {
        if faults.count < Self.maximumFaults { faults.append(.init(field: field, problem: problem)) }
    }
}
