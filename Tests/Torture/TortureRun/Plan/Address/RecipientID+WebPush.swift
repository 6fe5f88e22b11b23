import PushSimulator
package import WebPushSimulator

/// Web Push subscriptions that encode a recipient's number and kind. The id in the endpoint begins with a number of
/// eight bytes. Its first byte is the ``SubscriptionPattern``, and the other bytes are the recipient's number.
extension RecipientID {
    private static let patternShift: UInt64 = 56
    /// The number of base64url characters that encode nine bytes: the eight-byte number and one more byte.
    private static let headCharacters = 12
    /// The number of base64url characters that encode three bytes: the pattern, and the two highest bytes of the
    /// recipient's number, which are always zero.
    private static let patternCharacters = 4

    init?(endpoint text: String) {
        guard text.hasPrefix("https://"),
            let persona = Persona.allCases.first(where: { text.contains($0.path) }),
            let id = text.firstRange(of: persona.path).map({ text[$0.upperBound...] }),
            let bytes = UnpaddedBase64.decode(id.prefix(Self.headCharacters)), bytes.count > 8
        else { return nil }
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(number: Int(number & (1 << Self.patternShift - 1)))
    }

    package var persona: Persona { Persona.allCases[index % Persona.allCases.count] }

    package func subscriptionNumber(_ kind: RecipientKind) -> UInt64 {
        UInt64(SubscriptionPattern(kind, index).rawValue) << Self.patternShift | UInt64(number)
    }

    /// Returns the prefix that the ids of all subscriptions with a pattern have in common.
    static func idStart(of pattern: SubscriptionPattern) -> String {
        String(UnpaddedBase64.encode([pattern.rawValue, 0, 0]).prefix(patternCharacters))
    }
}

/// A closure that issues a subscription as JSON, or returns `nil` on failure. Only a push service can issue
/// subscriptions.
package typealias Subscribe =
    @Sendable (_ recipient: RecipientID, _ kind: RecipientKind, _ app: String) -> String?
