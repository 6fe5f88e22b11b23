/// What a push service refuses a message for; each persona has its own words for it.
public enum WebPushReason: String, CaseIterable, Codable, Sendable {
    // What is wrong with the request.
    case badPath, methodNotAllowed
    case missingAuthorization, badAuthorization, badKey, badToken, expiredToken, keyMismatch
    case missingTTL, badTTL, badUrgency, badTopic, badCachePolicy
    case badEncoding, tooLarge
    // What is wrong with the subscription.
    case gone, unknown
    // What is wrong with the service.
    case tooManyRequests, internalError, badGateway, unavailable
    /// No one subscribes to this topic (ntfy).
    case insufficientStorage
    /// To another host, which nobody must ask.
    case redirect
}
