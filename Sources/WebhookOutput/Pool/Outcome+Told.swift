import PushModel
import PushSending

extension Outcome {
    /// Creates an outcome from the outcome that a receiver reported for one recipient.
    init(_ push: QueuedPush, _ told: ToldOutcome, status: Int, sentAt: Timestamp, at: Timestamp) {
        self.init(
            job: push.job.routed, recipient: push.recipient, verdict: told.verdict, status: status,
            reason: told.verdict == .sent ? nil : told.reason ?? WebhookReason.of(told.verdict),
            // `failed` with the provider as judge means a refused credential. Receivers do not report refused
            // credentials in this way.
            judge: told.verdict == .failed ? .martlet : .provider, providerID: told.id.flatMap { ProviderID($0) },
            unregisteredAt: told.verdict == .unregistered ? sentAt : nil,
            retryAfterSeconds: told.verdict == .retry ? told.retryAfterSeconds : 0, at: at)
    }
}
