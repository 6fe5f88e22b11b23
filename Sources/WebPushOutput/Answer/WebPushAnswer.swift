import PushModel

/// What an answer means, by its status and the words of the service that gave it.
package enum WebPushAnswer: Equatable {
    case accepted
    /// The subscription is finished.
    case subscriptionGone
    /// The subscription was made with another key than ours (RFC 8292, section 4.2).
    case keyMismatch
    /// The service says that it does not accept what proves who we are.
    case credentialRefused
    /// The same status, without a word of what it is about: the credential or this subscription.
    case unauthorized
    /// This message is refused for good.
    case refused
    /// The same, for its size.
    case tooLarge
    /// It sends us elsewhere, where nothing is sent.
    case redirected
    /// Too much at a time for this service.
    case busy
    /// The same message may be accepted later.
    case unavailable
    /// Nobody listens there at the moment (UnifiedPush's ntfy).
    case noListener
}

extension WebPushAnswer {
    /// Apple's reasons that are about the credential, whatever their status.
    package static let credentialReasons: Set<String> = [
        "BadAuthorizationHeader", "BadJwtToken", "BadVapidPublicKey",
    ]
    /// Ours, for what each service says in another way.
    static let mismatch = "KeyMismatch"
    private static let mismatchReason = "VapidPkHashMismatch"
    /// Mozilla's and Google's, in lower case.
    private static let mismatchTexts = [
        "vapid public key mismatch", "do not correspond to the credentials used", "mismatchsenderid",
    ]
    /// Mozilla's number for whatever is wrong with `authorization`.
    private static let authorizationErrno = 109

    package init(status: Int, words: AnswerWords, from service: PushService, saysWhen: Bool) {
        self =
            switch status {
            case 200..<300: .accepted
            case 300..<400: .redirected
            case 400..<500: Self.refusal(status, words, service)
            case 501, 505: .refused
            case 503 where saysWhen: .busy
            case 507: .noListener
            default: .unavailable
            }
    }

    private static func refusal(_ status: Int, _ words: AnswerWords, _ service: PushService) -> Self {
        if words.reason == mismatchReason { return .keyMismatch }
        if let reason = words.reason, credentialReasons.contains(reason) { return .credentialRefused }
        switch status {
        // The path is not of a subscription at all, so it says nothing of one.
        case 404 where words.reason == "BadPath": return .refused
        case 404, 410: return .subscriptionGone
        case 401, 403:
            if mismatchTexts.contains(where: words.text.contains) { return .keyMismatch }
            return words.errno == authorizationErrno ? .credentialRefused : .unauthorized
        // Google's, of a subscription that was made without a key or with another one.
        case 400 where words.text.contains("unauthorizedregistration"): return .unauthorized
        case 406 where service == .microsoft: return .busy
        case 413: return .tooLarge
        case 429: return .busy
        // No answers of a push service, but of what may stand before it.
        case 408, 421: return .unavailable
        default: return .refused
        }
    }

    /// The service's own word for it, else its status.
    package func reason(status: Int, words: AnswerWords) -> String {
        switch self {
        case .keyMismatch: Self.mismatch
        case .redirected: "Redirected"
        default: words.reason ?? words.errno.map { "Errno\($0)" } ?? "Status\(status)"
        }
    }
}

extension WebPushAnswer {
    /// Nobody says it to a sender whose key is refused.
    var showsAuthorization: Bool {
        switch self {
        case .accepted, .subscriptionGone, .tooLarge: true
        case .keyMismatch, .credentialRefused, .unauthorized, .refused, .redirected, .busy, .unavailable, .noListener:
            false
        }
    }

    /// What becomes of the message, unless the key is trusted to be good.
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
