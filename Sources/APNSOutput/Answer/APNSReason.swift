/// What to do after an answer, by APNs' reason (Apple: "Handling notification responses from APNs").
package enum APNSAnswerClass: Equatable {
    /// The token is finished.
    case tokenDead
    /// This request is refused for good.
    case refused
    /// The credential is refused; the message may be fine.
    case credentialRefused
    /// The same request may be accepted later.
    case retryLater
    /// The same request may be accepted on a new connection.
    case retryOnNewConnection
    /// The same request may be accepted later, on a new connection.
    case retryLaterOnNewConnection
}

/// Sorts statuses and reasons into classes. Reasons that Apple adds later are sorted by status.
package enum APNSReason {
    package static func classify(status: Int, reason: String?) -> APNSAnswerClass {
        if let reason, let known = classes[reason] { return known }
        switch status {
        case 403: return .credentialRefused
        case 410: return .tokenDead
        case 429, 500...: return .retryLater
        default: return .refused
        }
    }

    private static let classes: [String: APNSAnswerClass] = [
        "Unregistered": .tokenDead,
        "ExpiredToken": .tokenDead,
        "BadCertificate": .credentialRefused,
        "BadCertificateEnvironment": .credentialRefused,
        // Apple's page spells it with "Id"; the service sends it without.
        "BadEnvironmentKeyIdInToken": .credentialRefused,
        "BadEnvironmentKeyInToken": .credentialRefused,
        "Forbidden": .credentialRefused,
        "InvalidProviderToken": .credentialRefused,
        "MissingProviderToken": .credentialRefused,
        // Of broadcasts and channels: the credential is of another app, or the app may not do this.
        "TopicMismatch": .credentialRefused,
        "FeatureNotEnabled": .credentialRefused,
        "CannotCreateChannelConfig": .credentialRefused,
        "ExpiredProviderToken": .retryOnNewConnection,
        "UnrelatedKeyIdInToken": .retryOnNewConnection,
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
