import PushModel

/// What an answer of FCM means for the message, and beyond it.
///
/// | answer | the message | beyond it |
/// |---|---|---|
/// | 200 | sent | |
/// | 400 that names a field of the payload | rejected | so are the job's others with the same payload |
/// | 400 | rejected: payload or token, which Google does not tell apart for sure | |
/// | 401 `THIRD_PARTY_AUTH_ERROR` | rejected | the project's key for APNs or Web Push is missing or wrong: counted by app |
/// | 401 | sent once more with a new access token, then held | then the credential is refused |
/// | 403 `SENDER_ID_MISMATCH` | rejected | counted by app: the token is another project's |
/// | 403, such as `PERMISSION_DENIED` | retry | none, unless no other push is accepted: then the account may not send |
/// | 404 `UNREGISTERED` | unregistered | |
/// | 404 | retry | none, unless no other push is accepted: then the project does not exist |
/// | 429 | retry after what it says, else a minute | the project waits as long, unless it is a device's own rate, or a topic's |
/// | 503 with Retry-After | retry then | the project waits as long |
/// | 408, 421, 5xx | retry | |
/// | any other | rejected | |
package enum FCMAnswer: Equatable {
    case payloadRefused
    case refused
    case tokenRefused
    case tokenDead
    case unauthenticated
    /// Either the credential or this one request is refused; the answer does not say which.
    case doubtful
    case retry
    /// In seconds, at least.
    case retryAfter(Int32)
    /// In seconds, at least.
    case projectMustWait(Int32)

    /// Google: 429 without Retry-After.
    private static let quotaWaitSeconds: Int32 = 60

    /// - Parameters:
    ///   - retryAfter: seconds; 0: it is not said.
    ///   - isBroadcast: a topic has a rate of its own.
    package init(status: Int, _ body: FCMErrorBody, retryAfter: Int32, isBroadcast: Bool = false) {
        switch (status, body.errorCode) {
        case (_, "UNREGISTERED") where status == 404: self = .tokenDead
        case (_, "SENDER_ID_MISMATCH"), (_, "THIRD_PARTY_AUTH_ERROR"), (_, "APNS_AUTH_ERROR"): self = .tokenRefused
        case (400, _): self = Self.ofBadRequest(body)
        case (401, _): self = .unauthenticated
        case (403, _), (404, _): self = .doubtful
        case (429, _):
            let seconds = retryAfter > 0 ? retryAfter : Self.quotaWaitSeconds
            self = isBroadcast || Self.isOfDevice(body) ? .retryAfter(seconds) : .projectMustWait(seconds)
        case (503, _) where retryAfter > 0: self = .projectMustWait(retryAfter)
        case (408, _), (421, _), (500..., _): self = .retry
        default: self = .refused
        }
    }

    /// Where the whole request is at fault, a field of it is named. A bad token is a field of it, too.
    private static func ofBadRequest(_ body: FCMErrorBody) -> FCMAnswer {
        guard let field = body.violatedField else { return .refused }
        let isTarget = ["token", "fid", "topic", "condition"].contains {
            field == "message.\($0)" || field == $0
        }
        // FCM may check a field of one platform only for that platform's devices.
        let isOfAll = field.hasPrefix("message.") && !body.isAboutOnePlatform
        return isTarget || !isOfAll ? .refused : .payloadRefused
    }

    /// A device that is sent to too often does not stop the others.
    private static func isOfDevice(_ body: FCMErrorBody) -> Bool {
        (body.quota ?? body.message).map { $0.lowercased().contains("device") } ?? false
    }

    /// Google's codes, and what becomes of a message by them. A code with `hold` can be the reason for which a
    /// credential is held.
    static let verdicts: [String: Outcome.Verdict] = [
        FCMPushes.noAccessToken: .retry,
        "INVALID_ARGUMENT": .rejected, "SENDER_ID_MISMATCH": .rejected, "THIRD_PARTY_AUTH_ERROR": .rejected,
        "APNS_AUTH_ERROR": .rejected, "UNREGISTERED": .unregistered, "QUOTA_EXCEEDED": .retry,
        "RESOURCE_EXHAUSTED": .retry, "INTERNAL": .retry, "UNAVAILABLE": .retry, "UNAUTHENTICATED": .hold,
        "PERMISSION_DENIED": .hold, "NOT_FOUND": .hold,
    ]
}
