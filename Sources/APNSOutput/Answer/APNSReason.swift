import PushModel

/// The classification of APNs' statuses and reasons. A reason that Apple adds later is classified by its status.
package enum APNSReason {
    package static func classify(status: Int, reason: String?) -> APNSAnswerClass {
        if let reason, let known = classes[reason] { return known }
        switch status {
        case 403: return .unknownRefused
        case 410: return .tokenDead
        // A proxy in front of APNs may send 408 or 421. APNs itself does not.
        case 408, 421, 429, 500...: return .retryLater
        default: return .refused
        }
    }

    /// Returns whether a GOAWAY with this reason refuses the credential.
    package static func refusesCredential(_ reason: String) -> Bool {
        switch classes[reason] {
        case .credentialRefused, .forbidden: true
        default: false
        }
    }

    /// The verdict for each reason of APNs that Martlet knows.
    static let verdicts: [String: Outcome.Verdict] =
        classes.mapValues(\.verdict).merging(refusals.map { ($0, .rejected) }) { known, _ in known }

    /// The reasons that are classified by their status alone.
    private static let refusals = [
        "BadChannelId", "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPath",
        "BadPriority",
        "BadRequestParams", "BadRequestPayload", "BadTopic", "ChannelNotRegistered", "DeviceTokenNotForTopic",
        "DuplicateHeaders", "InvalidPushType", "MethodNotAllowed", "MissingChannelId", "MissingDeviceToken",
        "MissingPushType", "MissingTopic", "PayloadEmpty", "PayloadTooLarge",
    ]

    private static let classes: [String: APNSAnswerClass] = [
        "Unregistered": .tokenDead,
        "ExpiredToken": .tokenDead,
        "BadCertificate": .credentialRefused,
        "BadCertificateEnvironment": .credentialRefused,
        // Apple's page spells this reason with "Id", but the service sends it without.
        "BadEnvironmentKeyIdInToken": .credentialRefused,
        "BadEnvironmentKeyInToken": .credentialRefused,
        "Forbidden": .forbidden,
        "InvalidProviderToken": .credentialRefused,
        "MissingProviderToken": .credentialRefused,
        "TopicDisallowed": .topicRefused,
        // The next three reasons concern broadcasts and channels: the credential belongs to another app, or the app
        // lacks the permission or has too many channels.
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
        // Apple's page about channels spells this reason with a space.
        "Service Unavailable": .retryLater,
    ]
}
