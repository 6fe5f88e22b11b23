import HTTP2Pool
import PushModel
import PushSending

/// An unsuccessful answer of FCM to one message.
struct FCMRefusal {
    let reason: String
    /// Whether the recipient is at fault: FCM refused the request as invalid, but accepted the same payload for another
    /// recipient of the job.
    let isRecipientAtFault: Bool
    /// Whether the recipient may be at fault: FCM refused the request as invalid, but may still accept the same payload
    /// for another recipient of the job. The message is then sent once more. Most of the other recipients' answers
    /// arrive before its second answer, and show whether FCM accepts the payload.
    let mayConcernRecipient: Bool
    private let sent: PushOnWire
    private let answer: PoolAnswer
    private let body: FCMErrorBody
    private let now: Moment

    init(
        of job: PreparedMessage, _ sent: PushOnWire, _ answer: PoolAnswer, _ body: FCMErrorBody, at now: Moment
    ) {
        self.sent = sent
        self.answer = answer
        self.body = body
        self.now = now
        reason = (body.errorCode ?? body.status).map(ShownText.word) ?? "Status\(answer.status)"
        let recipient = job.routed.job.recipients[sent.push.recipient]
        let concernsAll = answer.status == 400 && !body.isAboutOnePlatform
        isRecipientAtFault = concernsAll && job.hasAcceptedPayload(of: recipient)
        mayConcernRecipient =
            concernsAll && !isRecipientAtFault && !sent.push.isRepeated && recipient.payload == nil
            && job.routed.job.recipients.count > 1
    }

    var recipient: Recipient { sent.push.job.routed.job.recipients[sent.push.recipient] }

    /// Returns the outcome of the message for a verdict.
    ///
    /// - Parameter retryAfter: the delay before a retry in seconds, or `nil` to use the answer's Retry-After.
    func outcome(_ verdict: Outcome.Verdict, retryAfter: Int32? = nil) -> Outcome {
        Outcome(
            job: sent.push.job.routed, recipient: sent.push.recipient, verdict: verdict, status: answer.status,
            reason: reason, detail: detail, judge: .provider,
            unregisteredAt: verdict == .unregistered ? sentAt : nil,
            retryAfterSeconds: verdict.isTriedAgain ? max(Self.leastWait, retryAfter ?? sent.retryAfterSeconds) : 0,
            at: now.wall)
    }

    private var detail: String? {
        guard isRecipientAtFault else { return body.detail }
        let finding = "\(recipient.kind.name) at fault: FCM accepted the same payload for another recipient of this job"
        return body.detail.map { "\(finding); \($0)" } ?? finding
    }

    /// The time at which the message was sent. Google does not state when a token died, but it was dead at this time.
    private var sentAt: Timestamp { Timestamp(milliseconds: now.wall.milliseconds - answer.milliseconds) }

    /// The minimum delay before a retry, in seconds (Google: Scale FCM).
    static let leastWait: Int32 = 10
}

extension FCMErrorBody {
    /// Whether Google names a field that only the devices of one platform receive.
    var isAboutOnePlatform: Bool {
        guard let violatedField else { return false }
        return ["message.android", "message.apns", "message.webpush"].contains { violatedField.hasPrefix($0) }
    }

    /// Google's explanation of the refusal, or `nil` if the body contains none.
    var detail: String? {
        let text = [violatedField, violation].compactMap { $0 }.joined(separator: ": ")
        let all = text.isEmpty ? message ?? "" : text
        if !all.isEmpty { return ShownText.line(all) }
        return isCut
            ? "the answer has more than \(FCMConfiguration.maximumAnswerBytes) bytes, and these contain no reason" : nil
    }
}

extension FCMAnswer {
    /// Returns whether FCM refused the message because of its token, or because of its app's keys in the Firebase
    /// console.
    func isAboutToken(_ body: FCMErrorBody) -> Bool {
        switch self {
        case .tokenRefused: true
        case .refused: body.message?.contains("registration token") ?? false
        default: false
        }
    }

    /// Whether the answer shows that FCM has accepted the credential.
    var acceptsCredential: Bool {
        switch self {
        case .payloadRefused, .refused, .tokenRefused, .tokenDead: true
        case .unauthenticated, .doubtful, .retry, .retryAfter, .projectMustWait: false
        }
    }
}
