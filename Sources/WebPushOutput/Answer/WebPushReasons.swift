package import PushModel

/// What push services call their refusals, and what becomes of a push then. Mozilla counts where others have words, and
/// Google and Microsoft have none: `Errno106`, `Status410`.
package enum WebPushReasons {
    package static let verdicts: [String: Outcome.Verdict] =
        Dictionary(uniqueKeysWithValues: refusals.map { ($0, .rejected) })
        .merging(WebPushAnswer.credentialReasons.map { ($0, .hold) }) { known, _ in known }
        .merging(busy.map { ($0, .retry) }) { known, _ in known }
        .merging(["Unregistered", "ExpiredToken"].map { ($0, .unregistered) }) { known, _ in known }

    /// Apple's, of the request.
    private static let refusals = [
        "BadPath", "BadTtl", "BadUrgency", "BadWebPushRequest", "BadWebPushTopic", "MethodNotAllowed",
    ]
    /// Apple's, of itself.
    private static let busy = [
        "IdleTimeout", "InternalServerError", "ServiceUnavailable", "Shutdown", "TooManyRequests",
        // Reasons of a brake whose service names no other reason.
        "Status406", "Status429", "Status503",
        // Martlet's reasons for messages that wait for their turn.
        "TooManyConnections", "TooManyOrigins",
    ]
}
