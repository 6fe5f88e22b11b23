package import PushModel

/// The verdict of an outcome for each named reason. Only Apple has named reasons. Mozilla has numbers, and Google and
/// Microsoft have neither, so most of their reasons look like `Errno106` and `Status410` and are not listed.
package enum WebPushReasons {
    package static let verdicts: [String: Outcome.Verdict] =
        Dictionary(uniqueKeysWithValues: refusals.map { ($0, .rejected) })
        .merging(WebPushAnswer.credentialReasons.map { ($0, .hold) }) { known, _ in known }
        .merging(busy.map { ($0, .retry) }) { known, _ in known }
        .merging(["Unregistered", "ExpiredToken"].map { ($0, .unregistered) }) { known, _ in known }

    /// Apple's reasons for refusing a request, and Martlet's reason for a key mismatch.
    private static let refusals = [
        "BadPath", "BadTtl", "BadUrgency", "BadWebPushRequest", "BadWebPushTopic", "MethodNotAllowed",
        WebPushAnswer.mismatch,
    ]
    /// Apple's reasons for temporary failures of the service, and other temporary reasons.
    private static let busy = [
        "IdleTimeout", "InternalServerError", "ServiceUnavailable", "Shutdown", "TooManyRequests",
        // Reasons of a ``SendPause`` if the service names no reason.
        "Status406", "Status429", "Status503",
        // Martlet's reasons for messages that wait in the broker.
        "TooManyConnections", "TooManyOrigins",
    ]
}
