import PushSimulator
package import WebPushSimulator

/// A subscription: its endpoint's id begins with a number, which is the recipient's below the pattern of its answer.
extension RecipientID {
    private static let patternShift: UInt64 = 56
    /// Characters of base64url that hold nine bytes: the number, and one more.
    private static let headCharacters = 12
    /// … and three: the pattern, and zeros, since no recipient's number is so large.
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

    /// What the ids of a pattern's subscriptions begin with.
    static func idStart(of pattern: SubscriptionPattern) -> String {
        String(UnpaddedBase64.encode([pattern.rawValue, 0, 0]).prefix(patternCharacters))
    }
}

/// Hands out a subscription, as JSON, which only a push service can; nil: it could not.
package typealias Subscribe =
    @Sendable (_ recipient: RecipientID, _ kind: RecipientKind, _ app: String) -> String?
