import PushModel

/// The meaning of a push service's answer. It is derived from the status, the body and the service that sent it.
package enum WebPushAnswer: Equatable {
    case accepted
    /// The subscription no longer exists.
    case subscriptionGone
    /// The subscription was made with a different key (RFC 8292, section 4.2).
    case keyMismatch
    /// The service states that it refuses the message's authorization.
    case credentialRefused
    /// The service refuses the authorization and gives no reason. Either the credential or this subscription is at
    /// fault.
    case unauthorized
    /// The service refuses this message permanently.
    case refused
    /// The service refuses this message permanently because of its size.
    case tooLarge
    /// The service redirects the message to another URL. Martlet does not follow redirects.
    case redirected
    /// The service refuses the message because it receives too many messages.
    case busy
    /// The service may accept the same message later.
    case unavailable
    /// No client listens at the subscription at present. Only UnifiedPush's ntfy answers like this.
    case noListener
}

extension WebPushAnswer {
    /// Apple's reasons that concern the credential, regardless of the status.
    package static let credentialReasons: Set<String> = [
        "BadAuthorizationHeader", "BadJwtToken", "BadVapidPublicKey",
    ]
    /// Martlet's reason for a key mismatch, which each service reports in a different form.
    static let mismatch = "KeyMismatch"
    private static let mismatchReason = "VapidPkHashMismatch"
    /// Mozilla's and Google's explanations of a key mismatch, in lower case.
    private static let mismatchTexts = [
        "vapid public key mismatch", "do not correspond to the credentials used", "mismatchsenderid",
    ]
    /// Mozilla's number for every error in `authorization`.
    private static let authorizationErrno = 109

    package init(status: Int, words: RefusalBody, from service: PushService, hasRetryAfter: Bool) {
        self =
            switch status {
            case 200..<300: .accepted
            case 300..<400: .redirected
            case 400..<500: Self.refusal(status, words, service)
            case 501, 505: .refused
            case 503 where hasRetryAfter: .busy
            case 507: .noListener
            default: .unavailable
            }
    }

    private static func refusal(_ status: Int, _ words: RefusalBody, _ service: PushService) -> Self {
        if words.reason == mismatchReason { return .keyMismatch }
        if let reason = words.reason, credentialReasons.contains(reason) { return .credentialRefused }
        switch status {
        // No subscription has such a path, so the answer does not mean that a subscription is gone.
        case 404 where words.reason == "BadPath": return .refused
        case 404, 410: return .subscriptionGone
        case 401, 403:
            if mismatchTexts.contains(where: words.text.contains) { return .keyMismatch }
            return words.errno == authorizationErrno ? .credentialRefused : .unauthorized
        // Google's answer if the subscription was made without a key or with a different one.
        case 400 where words.text.contains("unauthorizedregistration"): return .unauthorized
        case 406 where service == .microsoft: return .busy
        case 413: return .tooLarge
        case 429: return .busy
        // A proxy in front of a push service may send 408 or 421. The service itself does not.
        case 408, 421: return .unavailable
        default: return .refused
        }
    }

    /// Returns the reason of the outcome: the service's own reason or number, or otherwise the status. Key mismatches
    /// and redirects have Martlet's reasons.
    package func reason(status: Int, words: RefusalBody) -> String {
        switch self {
        case .keyMismatch: Self.mismatch
        case .redirected: "Redirected"
        default: words.reason ?? words.errno.map { "Errno\($0)" } ?? "Status\(status)"
        }
    }
}

extension WebPushAnswer {
    /// Whether the answer shows that the service accepts the key. A service that refuses the key never answers like
    /// this.
    var showsAuthorization: Bool {
        switch self {
        case .accepted, .subscriptionGone, .tooLarge: true
        case .keyMismatch, .credentialRefused, .unauthorized, .refused, .redirected, .busy, .unavailable, .noListener:
            false
        }
    }

    /// The verdict on the message. If the service refuses the key, ``KeyTrust`` decides instead.
    var verdict: Outcome.Verdict {
        switch self {
        case .accepted: .sent
        case .subscriptionGone: .unregistered
        case .keyMismatch, .refused, .tooLarge, .redirected: .rejected
        case .credentialRefused, .unauthorized: .hold
        case .busy, .unavailable, .noListener: .retry
        }
    }
}
