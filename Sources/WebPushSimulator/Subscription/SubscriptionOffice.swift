internal import Crypto
internal import PushSimulator
internal import Threading

/// Hands out subscriptions, and knows them again.
final class SubscriptionOffice: Sendable {
    let secret: SymmetricKey
    private let next = Atomic(0)

    init(secret: SymmetricKey) {
        self.secret = secret
        // Those of an earlier run are others.
        next.store(Int.random(in: 0...(1 << 60)), ordering: .relaxed)
    }

    /// - Parameter number: of whoever counts them; nil: the next.
    func make(
        _ persona: Persona, number: UInt64? = nil, key: [UInt8]?, state: Subscription.State, origin: String
    ) -> SubscriptionJSON {
        let number = number ?? UInt64(next.add(1, ordering: .relaxed).newValue)
        let subscription = Subscription(number: number, state: state, key: key)
        return SubscriptionJSON(
            endpoint: origin + persona.path + subscription.id(persona, secret),
            keys: SubscriptionJSON.Keys(
                p256dh: UnpaddedBase64.encode(subscription.privateKey(secret).publicKey.x963Representation),
                auth: UnpaddedBase64.encode(subscription.authenticationSecret(secret))))
    }

    /// nil: the path is none of this persona's.
    func find(path: String, _ persona: Persona) -> Found? {
        guard path.hasPrefix(persona.path) else { return nil }
        let id = path.dropFirst(persona.path.count)
        guard !id.isEmpty, !id.contains("/") else { return nil }
        return Subscription(id: id, persona, secret).map(Found.subscription) ?? .nobody
    }

    enum Found {
        case subscription(Subscription)
        /// One that was never handed out, or is spelt otherwise.
        case nobody
    }
}
