import PushModel

/// A class of answers with the same consequence, derived from APNs' status and reason (Apple: "Handling notification
/// responses from APNs").
package enum APNSAnswerClass: Equatable {
    /// The device token is dead.
    case tokenDead
    /// This request is refused permanently.
    case refused
    /// The credential is refused. The message itself may be acceptable.
    case credentialRefused
    /// The credential may not push to this topic. The message itself may be acceptable.
    case topicRefused
    /// The request is forbidden for an unknown reason. The refusal counts against the topic, unless other pushes show
    /// that only this request is at fault.
    case unknownRefused
    /// The credential is refused, and Apple asks senders never to repeat this request.
    case forbidden
    /// The same request may be accepted later.
    case retryLater
    /// The same request may be accepted on a new connection.
    case retryOnNewConnection
    /// A retry on a new connection may be accepted. If the retry is refused too, the credential is refused.
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
