package import PushModel

/// The verdicts for the reasons that push services give. Mozilla gives numbers instead of names, and Google and
/// Microsoft give neither. Their reasons are then like `Errno106` and `Status410`.
package enum WebPushReasons {
    package static let verdicts: [String: Outcome.Verdict] =
        Dictionary(uniqueKeysWithValues: refusals.map { ($0, .rejected) })
        .merging(WebPushAnswer.credentialReasons.map { ($0, .hold) }) { known, _ in known }
        .merging(busy.map { ($0, .retry) }) { known, _ in known }
        .merging(["Unregistered", "ExpiredToken"].map { ($0, .unregistered) }) { known, _ in known }

    /// Apple's reasons that concern the request.
    private static let refusals = [
        "BadPath", "BadTtl", "BadUrgency", "BadWebPushRequest", "BadWebPushTopic", "MethodNotAllowed",
    ]
    /// Apple's reasons that concern the service, and other temporary reasons.
    private static let busy = [
        "IdleTimeout", "InternalServerError", "ServiceUnavailable", "Shutdown", "TooManyRequests",
        // Reasons of a brake whose service names no other reason.
        "Status406", "Status429", "Status503",
        // Martlet's reasons for messages that wait for their turn.
        "TooManyConnections", "TooManyOrigins",
    ]
}
