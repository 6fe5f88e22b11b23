/// Tokens for the webhook receiver that encode a recipient's number and kind. A receiver's token may be any text.
extension RecipientID {
    private static let start = "+49 151 "
    private static let numberDigits = 9

    init?(receiverToken text: String) {
        guard text.hasPrefix(Self.start), let number = Int(text.suffix(Self.numberDigits), radix: 16) else {
            return nil
        }
        self.init(number: number)
    }

    func receiverToken(_ kind: RecipientKind) -> String {
        "\(Self.start)\(kind.rawValue) ☎ \(hexadecimal(digits: Self.numberDigits))"
    }
}

extension RecipientKind {
    /// Decodes the kind of a recipient from its token.
    ///
    /// - Parameter text: the token in a batch.
    init?(receiverToken text: String) {
        guard let kind = Self.allCases.first(where: { text.contains(" \($0.rawValue) ") }) else { return nil }
        self = kind
    }
}
