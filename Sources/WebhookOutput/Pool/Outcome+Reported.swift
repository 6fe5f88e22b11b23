import PushModel
import PushSending

extension Outcome {
    /// Creates an outcome from the outcome that a receiver reported for one recipient.
    init(_ push: QueuedPush, _ reported: ReportedOutcome, status: Int, sentAt: Timestamp, at: Timestamp) {
        self.init(
            job: push.job.routed, recipient: push.recipient, verdict: reported.verdict, status: status,
            reason: reported.verdict == .sent ? nil : reported.reason ?? WebhookReason.of(reported.verdict),
            // `failed` with the provider as judge means a refused credential. Receivers do not report refused
            // credentials in this way.
            judge: reported.verdict == .failed ? .martlet : .provider,
            providerID: reported.id.flatMap { ProviderID($0) },
            unregisteredAt: reported.verdict == .unregistered ? sentAt : nil,
            retryAfterSeconds: reported.verdict == .retry ? reported.retryAfterSeconds : 0, at: at)
    }
}
