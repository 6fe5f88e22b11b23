import PushModel

/// The meaning of FCM's answer to one message, for the message itself and for its credential and project.
///
/// | answer | the message is | other effects |
/// |---|---|---|
/// | 200 | sent | |
/// | 400 that names a field of the payload | rejected | the job's other messages with this payload are rejected |
/// | 400 | rejected; the answer does not show reliably whether payload or token is at fault | |
/// | 401 `THIRD_PARTY_AUTH_ERROR` | rejected | the app's key for APNs or Web Push is missing or wrong; counted by app |
/// | 401 | sent once more with a new token, then held or retried | a second 401 states that the account is refused |
/// | 403 `SENDER_ID_MISMATCH` | rejected | the token belongs to another project; counted by app |
/// | 403, such as `PERMISSION_DENIED` | retried | if no other message is accepted, the account may not send |
/// | 404 `UNREGISTERED` | unregistered | |
/// | 404 | retried | if no other message is accepted, the project does not exist |
/// | 429 | retried after Retry-After, or else a minute | the project waits too, unless a device or topic is limited |
/// | 503 with Retry-After | retried after that time | the project waits too |
/// | 408, 421, 5xx | retried | |
/// | any other | rejected | |
///
/// Before a 400 has this effect, the message may be sent once more (``FCMRefusal/mayConcernRecipient``).
package enum FCMAnswer: Equatable {
    case payloadRefused
    /// The message is rejected. The answer does not show whether the payload or the recipient is at fault.
    case refused
    /// The message is rejected because of its token, or because of its app's keys in the Firebase console.
    case tokenRefused
    case tokenDead
    case unauthenticated
    /// Either the credential or this one request is refused. The answer does not show which.
    case doubtful
    case retry
    /// The message is retried after at least this number of seconds, and other messages continue.
    case retryAfter(Int32)
    /// The message is retried after at least this number of seconds, and the whole project waits as long.
    case projectMustWait(Int32)

    /// The delay in seconds that Google specifies for a 429 without Retry-After.
    private static let quotaWaitSeconds: Int32 = 60

    /// Interprets an answer.
    ///
    /// - Parameters:
    ///   - retryAfter: the delay of Retry-After in seconds, or 0 if the answer has no such field.
    ///   - isBroadcast: whether the target is a topic or condition. Topics have a rate limit of their own.
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

    /// Returns the meaning of an answer with status 400. Google names a field if the whole request is at fault, but
    /// also if only the token is bad.
    private static func ofBadRequest(_ body: FCMErrorBody) -> FCMAnswer {
        guard let field = body.violatedField else { return .refused }
        let isTarget = ["token", "fid", "topic", "condition"].contains {
            field == "message.\($0)" || field == $0
        }
        // FCM may check a field of one platform only for that platform's devices.
        let isOfAll = field.hasPrefix("message.") && !body.isAboutOnePlatform
        return isTarget || !isOfAll ? .refused : .payloadRefused
    }

    /// Returns whether the answer concerns the rate limit of one device. Such an answer must not stop messages to other
    /// devices.
    private static func isOfDevice(_ body: FCMErrorBody) -> Bool {
        (body.quota ?? body.message).map { $0.lowercased().contains("device") } ?? false
    }

    /// The verdict of an outcome for each reason.
    static let verdicts: [String: Outcome.Verdict] = [
        FCMPushes.noAccessToken: .retry,
        "INVALID_ARGUMENT": .rejected, "SENDER_ID_MISMATCH": .rejected, "THIRD_PARTY_AUTH_ERROR": .rejected,
        "APNS_AUTH_ERROR": .rejected, "UNREGISTERED": .unregistered, "QUOTA_EXCEEDED": .retry,
        "RESOURCE_EXHAUSTED": .retry, "INTERNAL": .retry, "UNAVAILABLE": .retry, "UNAUTHENTICATED": .hold,
        "PERMISSION_DENIED": .hold, "NOT_FOUND": .hold,
    ]
}
