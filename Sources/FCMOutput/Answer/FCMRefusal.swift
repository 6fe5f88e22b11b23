import HTTP2Pool
import PushModel
import PushSending

/// An answer of FCM that is no success, to one message.
struct FCMRefusal {
    let reason: String
    private let sent: PushOnWire
    private let answer: PoolAnswer
    private let body: FCMErrorBody
    private let now: Moment

    init(sent: PushOnWire, _ answer: PoolAnswer, _ body: FCMErrorBody, at now: Moment) {
        self.sent = sent
        self.answer = answer
        self.body = body
        self.now = now
        reason = (body.errorCode ?? body.status).map(ShownText.word) ?? "Status\(answer.status)"
    }

    var recipient: Recipient { sent.push.job.routed.job.recipients[sent.push.recipient] }

    /// - Parameter retryAfter: seconds; nil: as the answer says.
    func outcome(_ verdict: Outcome.Verdict, retryAfter: Int32? = nil) -> Outcome {
        Outcome(
            job: sent.push.job.routed, recipient: sent.push.recipient, verdict: verdict, status: answer.status,
            reason: reason, detail: body.detail, judge: .provider,
            unregisteredAt: verdict == .unregistered ? sentAt : nil,
            retryAfterSeconds: verdict.isTriedAgain ? max(Self.leastWait, retryAfter ?? sent.retryAfterSeconds) : 0,
            at: now.wall)
    }

    /// Google does not say when a token died; it was dead when the message was sent.
    private var sentAt: Timestamp { Timestamp(milliseconds: now.wall.milliseconds - answer.milliseconds) }

    /// Google: no retry sooner, in seconds (Scale FCM).
    static let leastWait: Int32 = 10
}

extension FCMErrorBody {
    /// What the developer has to know.
    var detail: String? {
        let text = [violatedField, violation].compactMap { $0 }.joined(separator: ": ")
        let all = text.isEmpty ? message ?? "" : text
        return all.isEmpty ? nil : ShownText.line(all)
    }
}

extension FCMAnswer {
    /// Whether the token is at fault, or whoever uses it with this project.
    func isAboutToken(_ body: FCMErrorBody) -> Bool {
        switch self {
        case .tokenRefused: true
        case .refused: body.message?.contains("registration token") ?? false
        default: false
        }
    }

    /// Whether FCM has looked at more than the credential.
    var acceptsCredential: Bool {
        switch self {
        case .payloadRefused, .refused, .tokenRefused, .tokenDead: true
        case .unauthenticated, .credentialRefused, .retry, .retryAfter, .projectMustWait: false
        }
    }
}
