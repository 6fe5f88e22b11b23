import PushModel

/// A receiver's answer to a batch, in the form `{"outcomes": [{"i": 0, "kind": "sent"}, …]}`.
///
/// If two elements name the same recipient, the first one counts. An element is ignored if it names no recipient of the
/// batch or if `i` or `kind` is missing or repeated.
package struct BatchAnswer {
    /// The reported outcomes, indexed by the recipient's position in the batch. An element is `nil` if the answer does
    /// not name the recipient.
    package let outcomes: [ReportedOutcome?]

    /// Parses an answer, or returns `nil` if the body is not a valid answer.
    package init?(_ body: [UInt8], recipients: Int) {
        guard let reader = BatchAnswerReader.read(body, recipients: recipients) else { return nil }
        outcomes = reader
    }
}

private struct BatchAnswerReader {
    private var outcomes: [ReportedOutcome?]
    private let bytes: UnsafeBufferPointer<UInt8>

    static func read(_ body: [UInt8], recipients: Int) -> [ReportedOutcome?]? {
        guard String(validating: body, as: UTF8.self) != nil else { return nil }
        return body.withUnsafeBufferPointer { bytes in
            var reader = BatchAnswerReader(
                outcomes: [ReportedOutcome?](repeating: nil, count: recipients), bytes: bytes)
            return (try? reader.read()) == true ? reader.outcomes : nil
        }
    }

    /// Parses the body.
    ///
    /// - Returns: whether the body has a list of outcomes.
    private mutating func read() throws(JSONSyntaxError) -> Bool {
        var scanner = JSONScanner(bytes)
        var isAnswer = false
        guard scanner.nextKind() == .object else { return false }
        try scanner.object { (key, scanner) throws(JSONSyntaxError) in
            guard text(key) == "outcomes", scanner.nextKind() == .array else {
                try scanner.value()
                return
            }
            // Two lists could contradict each other.
            if isAnswer { throw scanner.failure("there are two lists of outcomes") }
            isAnswer = true
            try scanner.array { (scanner) throws(JSONSyntaxError) in try readOutcome(&scanner) }
        }
        try scanner.end()
        return isAnswer
    }

    private mutating func readOutcome(_ scanner: inout JSONScanner) throws(JSONSyntaxError) {
        guard scanner.nextKind() == .object else {
            try scanner.value()
            return
        }
        var places: [Int?] = []
        var kinds = 0
        var reported = ReportedOutcome(.unknown)
        try scanner.object { (key, scanner) throws(JSONSyntaxError) in
            let kind = scanner.nextKind()
            switch (text(key), kind) {
            case ("i", .number): places.append(Self.place(number(try scanner.value())))
            case ("kind", .string):
                kinds += 1
                reported.verdict = ReportedOutcome.verdicts[text(try scanner.string())] ?? .failed
            case ("id", .string): reported.id = text(try scanner.string())
            case ("reason", .string): reported.reason = Self.cut(text(try scanner.string()))
            case ("retry_after", .number): reported.retryAfterSeconds = Self.seconds(number(try scanner.value()))
            default: try scanner.value()
            }
        }
        guard kinds == 1, places.count == 1, let place = places[0], outcomes.indices.contains(place),
            outcomes[place] == nil
        else { return }
        outcomes[place] = reported
    }

    private func text(_ token: JSONScanner.StringToken) -> String {
        let escaped = bytes[token.range]
        return token.hasEscapes
            ? String(decoding: JSONText.unescaped(escaped), as: UTF8.self) : String(decoding: escaped, as: UTF8.self)
    }

    private func number(_ range: Range<Int>) -> Substring { Substring(decoding: bytes[range], as: UTF8.self) }

    /// Parses an index. JSON has only one kind of number, so 1 may be written as 1.0.
    private static func place(_ text: Substring) -> Int? { Int(text) ?? Double(text).flatMap { Int(exactly: $0) } }

    private static func seconds(_ text: Substring) -> Int32 {
        Double(text).map { Int32(min(max(0, $0.rounded(.up)), 86_400)) } ?? 0
    }

    /// Shortens a reason to ``ReportedOutcome/maximumReasonBytes`` at a character boundary. Returns `nil` for an empty
    /// reason.
    private static func cut(_ reason: String) -> String? {
        guard reason.utf8.count > ReportedOutcome.maximumReasonBytes else { return reason.isEmpty ? nil : reason }
        var end = reason.utf8.index(reason.startIndex, offsetBy: ReportedOutcome.maximumReasonBytes)
        while end.samePosition(in: reason.unicodeScalars) == nil { end = reason.utf8.index(before: end) }
        return String(reason[..<end])
    }
}
