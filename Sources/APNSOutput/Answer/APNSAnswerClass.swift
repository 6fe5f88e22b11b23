import PushModel

/// What to do after an answer, by APNs' reason (Apple: "Handling notification responses from APNs").
package enum APNSAnswerClass: Equatable {
    /// The token is finished.
    case tokenDead
    /// This request is refused for good.
    case refused
    /// The credential is refused; the message may be fine.
    case credentialRefused
    /// The credential may not push to this topic; the message may be fine.
    case topicRefused
    /// Forbidden for an unknown reason. The topic is refused, unless other pushes show that only this request is at
    /// fault.
    case unknownRefused
    /// The credential is refused, and Apple asks never to send this request again.
    case forbidden
    /// The same request may be accepted later.
    case retryLater
    /// The same request may be accepted on a new connection.
    case retryOnNewConnection
    /// The same; and if it is not, the credential is refused.
    case credentialRetryOnNewConnection
    /// The same request may be accepted later, on a new connection.
    case retryLaterOnNewConnection
}

extension APNSAnswerClass {
    var verdict: Outcome.Verdict {
        switch self {
        case .tokenDead: .unregistered
        case .refused: .rejected
        case .credentialRefused, .topicRefused, .unknownRefused: .hold
        case .forbidden: .failed
        case .retryLater, .retryOnNewConnection, .credentialRetryOnNewConnection, .retryLaterOnNewConnection: .retry
        }
    }
}
