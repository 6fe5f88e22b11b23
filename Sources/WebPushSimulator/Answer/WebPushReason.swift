/// The reasons for which a push service refuses a message. Each persona reports them in its own format.
public enum WebPushReason: String, CaseIterable, Codable, Sendable {
    // Faults of the request.
    case badPath, methodNotAllowed
    case missingAuthorization, badAuthorization, badKey, badToken, expiredToken, keyMismatch
    case missingTTL, badTTL, badUrgency, badTopic, badCachePolicy
    case badEncoding, tooLarge
    // Faults of the subscription.
    case gone, unknown
    // Faults of the service.
    case tooManyRequests, internalError, badGateway, unavailable
    /// The answer of an ntfy server if the topic has no subscriber.
    case insufficientStorage
    /// A redirect to another host, which the sender must not follow.
    case redirect
}
