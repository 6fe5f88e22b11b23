/// A reader that collects the members of one recipient's object.
struct RecipientReader {
    private(set) var kind: AddressKind?
    /// The text of the address, or `nil` if no address was read.
    private(set) var token: JSONScanner.StringToken?
    private(set) var addressJSON = 0..<0
    private(set) var ref: Range<Int>?
    private(set) var payload: Range<Int>?
    private(set) var registeredAt: Timestamp?
    private let latestRegistration: Timestamp

    init(latestRegistration: Timestamp) {
        self.latestRegistration = latestRegistration
    }

    /// Reads the value of the named member. ``FieldReader/problem`` is set if the name or the value is invalid.
    mutating func read(_ name: String, _ value: inout FieldReader) throws(JSONSyntaxError) {
        let isRepeated =
            switch name {
            case "ref": ref != nil
            case "registered_at": registeredAt != nil
            case "payload": payload != nil
            default: kind?.name == name
            }
        if isRepeated { value.problem = "is given twice" }
        switch name {
        case "ref": ref = try value.string(maximum: JobLimits.refBytes)?.quoted
        case "registered_at":
            registeredAt = try value.timestamp()
            if let registeredAt, registeredAt > latestRegistration {
                value.problem = "\(registeredAt.rfc3339) is in the future"
            }
        case "payload": payload = try value.payload()
        default:
            guard let kind = AddressKind.named(name) else {
                try value.scanner.value()
                return value.problem = "is not a field of a recipient"
            }
            if let other = self.kind, other != kind { value.problem = "cannot be combined with \(other.name)" }
            self.kind = kind
            try readAddress(kind, &value)
        }
    }

    private mutating func readAddress(_ kind: AddressKind, _ value: inout FieldReader) throws(JSONSyntaxError) {
        guard kind == .subscription else {
            token = try value.string(maximum: JobLimits.tokenBytes)
            return addressJSON = token?.quoted ?? 0..<0
        }
        let start = value.scanner
        guard let object = try value.object() else { return }
        addressJSON = object
        if object.count > JobLimits.subscriptionBytes {
            return value.problem = "is longer than \(JobLimits.subscriptionBytes) bytes"
        }
        var scanner = start
        token = try endpoint(&scanner, &value)
        if token == nil, value.problem == nil { value.problem = "has no endpoint" }
    }

    /// Reads the object of a subscription and returns its endpoint, or `nil` if it has none. The output checks the
    /// other members, such as `keys`.
    private func endpoint(
        _ scanner: inout JSONScanner, _ value: inout FieldReader
    ) throws(JSONSyntaxError) -> JSONScanner.StringToken? {
        var endpoint: JSONScanner.StringToken?
        var problem: String?
        let bytes = value.bytes
        try scanner.object { (key, scanner) throws(JSONSyntaxError) in
            guard JSONText.text(bytes[key.range], hasEscapes: key.hasEscapes) == "endpoint" else {
                return _ = try scanner.value()
            }
            if endpoint != nil { problem = "has two endpoints" }
            var text = FieldReader(scanner: scanner, bytes: bytes)
            endpoint = try text.string(maximum: JobLimits.tokenBytes)
            problem = problem ?? text.problem.map { "has an endpoint that \($0)" }
            scanner = text.scanner
        }
        value.problem = value.problem ?? problem
        return endpoint
    }
}

extension FieldReader {
    /// Reads a payload and returns its range. A payload is an object or, for some outputs, a string.
    mutating func payload() throws(JSONSyntaxError) -> Range<Int>? {
        scanner.nextKind() == .string ? try string()?.quoted : try object()
    }
}

extension JSONScanner.StringToken {
    /// The range of the string with its quotes.
    var quoted: Range<Int> { range.lowerBound - 1..<range.upperBound + 1 }
}
