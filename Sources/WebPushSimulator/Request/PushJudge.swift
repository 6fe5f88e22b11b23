internal import Crypto
internal import PushSimulator

/// A validator of pushes, used by one connection. The first fault that it finds determines the answer.
final class PushJudge {
    private let persona: Persona
    private let registry: SubscriptionRegistry
    private let freshness: KeyReuseDetector
    private let tokens: TokenUseRecord
    private let longestBody: Int
    private let answers: ChosenAnswers<PlannedWebPushAnswer>
    /// The last valid value of `authorization` and its token, or `nil`. A sender uses one value for each origin.
    private var lastToken: (field: String, token: VAPIDToken)?

    init(_ double: WebPushDouble, _ persona: Persona, _ answers: ChosenAnswers<PlannedWebPushAnswer>) {
        self.persona = persona
        registry = double.registry
        freshness = double.freshness
        tokens = double.tokens
        longestBody = double.configuration.longestBodies[persona] ?? 4_096
        self.answers = answers
    }

    /// The answer to a push, and its plaintext if it was decrypted.
    struct Verdict {
        let answer: PlannedWebPushAnswer
        var plaintext: [UInt8]?

        init(_ answer: PlannedWebPushAnswer, plaintext: [UInt8]? = nil) {
            self.answer = answer
            self.plaintext = plaintext
        }
    }

    func judge(_ fields: PushFields, _ body: [UInt8], at now: Int64) -> Verdict {
        guard fields.method == "POST" else { return Verdict(PlannedWebPushAnswer(.methodNotAllowed)) }
        guard let found = registry.find(path: fields.path, persona) else {
            return Verdict(PlannedWebPushAnswer(.badPath))
        }
        guard case .subscription(let subscription) = found else { return Verdict(PlannedWebPushAnswer(.unknown)) }
        if let answer = authorizationFault(fields, subscription, at: now) { return Verdict(answer) }
        if let fault = fields.fault(persona) { return Verdict(PlannedWebPushAnswer(fault)) }
        if body.count > longestBody { return Verdict(PlannedWebPushAnswer(.tooLarge)) }
        do throws(MessageCipher.Fault) {
            let plaintext = try open(fields, body, subscription)
            return Verdict(answer(fields, subscription), plaintext: plaintext)
        } catch {
            return Verdict(PlannedWebPushAnswer(.badEncoding, error.problem))
        }
    }

    private func answer(_ fields: PushFields, _ subscription: Subscription) -> PlannedWebPushAnswer {
        if answers.needToken, let chosen = answers.take(forToken: fields.endpoint) { return chosen }
        return switch subscription.state {
        case .good: .accepted
        case .gone: PlannedWebPushAnswer(.gone)
        case .unknown: PlannedWebPushAnswer(.unknown)
        }
    }

    // MARK: Sender

    private func authorizationFault(
        _ fields: PushFields, _ subscription: Subscription, at now: Int64
    ) -> PlannedWebPushAnswer? {
        guard let field = fields.authorization.first else {
            // A subscription that is not bound to a key also accepts pushes without authorization.
            return subscription.boundTo == Subscription.unbound ? nil : PlannedWebPushAnswer(.missingAuthorization)
        }
        guard fields.authorization.count == 1 else { return PlannedWebPushAnswer(.badAuthorization) }
        do throws(VAPIDToken.Fault) {
            let token = try token(field, at: now)
            if let fault = token.fault(origin: fields.origin, at: now, isStrict: persona == .apple) {
                return PlannedWebPushAnswer(
                    fault, "aud \(token.audience), exp \(token.expiresAt), sub \(token.subject ?? "none")")
            }
            return subscription.takes(key: token.key) ? nil : PlannedWebPushAnswer(.keyMismatch)
        } catch {
            return switch error {
            case .badField: PlannedWebPushAnswer(.badAuthorization)
            case .badKey: PlannedWebPushAnswer(.badKey)
            case .badToken(let problem): PlannedWebPushAnswer(.badToken, problem)
            }
        }
    }

    private func token(_ field: String, at now: Int64) throws(VAPIDToken.Fault) -> VAPIDToken {
        if let lastToken, lastToken.field == field { return lastToken.token }
        let token = try VAPIDToken(field)
        lastToken = (field, token)
        tokens.note(token, persona, at: now)
        return token
    }

    // MARK: Message

    /// Decrypts the body of a push.
    ///
    /// - Returns: the plaintext, which is empty if there is no body.
    private func open(
        _ fields: PushFields, _ body: [UInt8], _ subscription: Subscription
    ) throws(MessageCipher.Fault) -> [UInt8] {
        if fields.hasOldFields { throw MessageCipher.Fault(problem: "Crypto-Key and Encryption are from old drafts") }
        if body.isEmpty {
            guard fields.contentEncodings.isEmpty else {
                throw MessageCipher.Fault(problem: "Content-Encoding is set, but there is no body")
            }
            return []
        }
        guard fields.contentEncodings == ["aes128gcm"] else {
            throw MessageCipher.Fault(problem: "Content-Encoding must be aes128gcm and must not be repeated")
        }
        let message = try MessageCipher.open(
            body, with: subscription.privateKey(registry.secret), subscription.authenticationSecret(registry.secret))
        guard message.senderKey != lastToken?.token.key else {
            throw MessageCipher.Fault(problem: "the message is encrypted with the VAPID key")
        }
        guard freshness.isFresh(message.senderKey) else {
            throw MessageCipher.Fault(problem: "a sender key is reused")
        }
        guard freshness.isFresh(message.salt) else { throw MessageCipher.Fault(problem: "a salt is reused") }
        return message.plaintext
    }
}
