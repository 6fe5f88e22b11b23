/// Addresses for FCM that encode a recipient's number and kind: registration tokens, installation ids, and topics. Each
/// topic belongs to one recipient.
extension RecipientID {
    private static let numberDigits = 9, patternDigits = 12
    private static let tokenEnd = ":APA91bT", installationStart = "c", topicStart = "topic-"
    private static let installationDigits = installationStart.utf8.count + patternDigits + numberDigits

    init?(fcmTarget text: String) {
        let digits: Substring
        if text.hasSuffix(Self.tokenEnd) {
            digits = text.dropLast(Self.tokenEnd.count)
        } else if text.hasPrefix(Self.topicStart) {
            digits = text.dropFirst(Self.topicStart.count)
        } else if text.hasPrefix(Self.installationStart), text.utf8.count == Self.installationDigits {
            digits = text[...]
        } else {
            return nil
        }
        guard let number = Int(digits.suffix(Self.numberDigits), radix: 16) else { return nil }
        self.init(number: number)
    }

    func fcmTarget(_ kind: RecipientKind) -> Address {
        let number = hexadecimal(digits: Self.numberDigits)
        if kind == .plain, (job + index).isMultiple(of: 50) { return Address("topic", Self.topicStart + number) }
        let pattern = kind.patterns[index % kind.patterns.count]
        let digits = pattern + String(repeating: "0", count: Self.patternDigits - pattern.utf8.count) + number
        return (job + index).isMultiple(of: 3)
            ? Address("fid", Self.installationStart + digits) : Address(token: digits + Self.tokenEnd)
    }
}

extension RecipientKind {
    /// The possible prefixes of the tokens of this kind. They determine the simulator's answer (docs/simulator-fcm.md).
    fileprivate var patterns: [String] {
        switch self {
        case .plain: ["a1100000"]
        case .slow: ["de1ade1a0030"]
        case .dead: ["dead0404", "dead1404"]
        // The meanings are: invalid token, disabled APNs token, wrong key for APNs, and token of another project.
        case .bad: ["bad00400", "bad01400", "bad00401", "bad00403"]
        case .refusedForNow: ["bad00500", "bad00502", "bad00503"]
        // The second pattern makes the simulator reset the stream on every attempt.
        case .silent: ["deafdeaf", "0badc0de"]
        }
    }
}
