/// Device tokens for APNs that encode a recipient's number and kind.
extension RecipientID {
    private static let digits = 64, numberDigits = 15

    init?(deviceToken text: String) {
        guard text.utf8.count == Self.digits, let number = Int(text.suffix(Self.numberDigits), radix: 16) else {
            return nil
        }
        self.init(number: number)
    }

    func deviceToken(_ kind: RecipientKind) -> String {
        kind.prefix + hexadecimal(digits: Self.digits - kind.prefix.utf8.count)
    }
}

extension RecipientKind {
    /// The prefix of the device tokens of this kind. It determines the simulator's answer (docs/simulator-apns.md).
    fileprivate var prefix: String {
        switch self {
        case .plain: "a1100000"
        case .slow: "de1ade1a0030"
        case .dead: "dead0410"
        case .bad: "bad00400"
        case .refusedForNow: "bad00503"
        case .silent: "deafdeaf"
        }
    }
}
