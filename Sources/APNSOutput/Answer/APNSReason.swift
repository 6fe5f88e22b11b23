import PushModel

/// Sorts statuses and reasons into classes. Reasons that Apple adds later are sorted by status.
package enum APNSReason {
    package static func classify(status: Int, reason: String?) -> APNSAnswerClass {
        if let reason, let known = classes[reason] { return known }
        switch status {
        case 403: return .unknownRefused
        case 410: return .tokenDead
        // 408 and 421 are no answers of APNs, but of what may stand before it.
        case 408, 421, 429, 500...: return .retryLater
        default: return .refused
        }
    }

    /// Whether a GOAWAY that names this reason is about the credential.
    package static func refusesCredential(_ reason: String) -> Bool {
        switch classes[reason] {
        case .credentialRefused, .forbidden: true
        default: false
        }
    }

    /// Every reason that APNs is known to give, and what becomes of a push by it.
    static let verdicts: [String: Outcome.Verdict] =
        classes.mapValues(\.verdict).merging(refusals.map { ($0, .rejected) }) { known, _ in known }

    /// Reasons that are sorted by their status alone.
    private static let refusals = [
        "BadChannelId", "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPath",
        "BadPriority",
        "BadRequestParams", "BadRequestPayload", "BadTopic", "ChannelNotRegistered", "DeviceTokenNotForTopic",
        "DuplicateHeaders", "InvalidPushType", "MethodNotAllowed", "MissingDeviceToken", "MissingTopic", "PayloadEmpty",
        "PayloadTooLarge",
    ]

    private static let classes: [String: APNSAnswerClass] = [
        "Unregistered": .tokenDead,
        "ExpiredToken": .tokenDead,
        "BadCertificate": .credentialRefused,
        "BadCertificateEnvironment": .credentialRefused,
        // Apple's page spells it with "Id"; the service sends it without.
        "BadEnvironmentKeyIdInToken": .credentialRefused,
        "BadEnvironmentKeyInToken": .credentialRefused,
        "Forbidden": .forbidden,
        "InvalidProviderToken": .credentialRefused,
        "MissingProviderToken": .credentialRefused,
        "TopicDisallowed": .topicRefused,
        // Of broadcasts and channels: the credential is of another app, or the app may not do this.
        "TopicMismatch": .topicRefused,
        "FeatureNotEnabled": .topicRefused,
        "CannotCreateChannelConfig": .topicRefused,
        "ExpiredProviderToken": .credentialRetryOnNewConnection,
        "UnrelatedKeyIdInToken": .credentialRetryOnNewConnection,
        "IdleTimeout": .retryOnNewConnection,
        "Shutdown": .retryOnNewConnection,
        "TooManyProviderTokenUpdates": .retryLaterOnNewConnection,
        "TooManyRequests": .retryLater,
        "InternalServerError": .retryLater,
        "ServiceUnavailable": .retryLater,
        // As Apple's page on channels spells it.
        "Service Unavailable": .retryLater,
    ]
}
