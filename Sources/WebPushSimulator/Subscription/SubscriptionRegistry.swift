internal import Crypto
internal import PushSimulator
internal import Foundations

/// A factory that issues subscriptions and finds them by the paths of their endpoints.
final class SubscriptionRegistry: Sendable {
    let secret: SymmetricKey
    private let next = Atomic(0)

    init(secret: SymmetricKey) {
        self.secret = secret
        // A random start keeps the subscriptions distinct from subscriptions of earlier runs.
        next.store(Int.random(in: 0...(1 << 60)), ordering: .relaxed)
    }

    /// Issues a subscription.
    ///
    /// - Parameter number: the number of the subscription, or `nil` for the next unused one.
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

    /// Returns the subscription for a path, the case `nobody` if the path names none, or `nil` if the path does not
    /// have the persona's form.
    func find(path: String, _ persona: Persona) -> Found? {
        guard path.hasPrefix(persona.path) else { return nil }
        let id = path.dropFirst(persona.path.count)
        guard !id.isEmpty, !id.contains("/") else { return nil }
        return Subscription(id: id, persona, secret).map(Found.subscription) ?? .nobody
    }

    enum Found {
        case subscription(Subscription)
        /// The id is unknown, or it is not in its canonical spelling.
        case nobody
    }
}
