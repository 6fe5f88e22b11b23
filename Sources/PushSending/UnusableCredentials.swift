import Foundations
package import Logging
package import PushModel

/// The credentials for which no pool can be created. Their jobs wait until an operator has corrected the cause. Each
/// credential is reported once.
package final class UnusableCredentials: Sendable {
    /// The reported credentials. `nil` stands for an output without credentials.
    private let known = Mutex<Set<Credential.ID?>>([])
    private let refusals: @Sendable (Refusal.Event) -> Void
    private let logger: Logger

    package init(refusals: @escaping @Sendable (Refusal.Event) -> Void, logger: Logger) {
        self.refusals = refusals
        self.logger = logger
    }

    /// Reports the verdict `hold` for a job whose credential can't be used. The first time, the credential is reported
    /// too.
    package func hold(_ job: RoutedJob, because error: any Error, _ sink: any OutcomeSink, at now: Timestamp) {
        let credential = job.credential?.id
        if known.withLock({ $0.insert(credential).inserted }) {
            logger.error(
                .credentialUnusable, "The credential cannot be used; its jobs wait",
                metadata: ["credential": "\(credential ?? "-")", "app": "\(job.job.app)", "error": "\(error)"])
            if let credential {
                let subject = Self.subject(credential)
                refusals(.began(Refusal(subject: subject, reason: SendingReason.credentialUnusable, since: now)))
            }
        }
        sink.reportAll(of: job, .hold, reason: SendingReason.credentialUnusable, at: now)
    }

    /// Reports that these credentials are no longer refused, if they were reported before. Call this when a credential
    /// is retired, or when a pool for it has been created.
    package func ended(_ credentials: some Sequence<Credential.ID>) {
        for credential in credentials where known.withLock({ $0.remove(credential) }) != nil {
            refusals(.ended(Self.subject(credential)))
        }
    }

    private static func subject(_ credential: Credential.ID) -> Refusal.Subject {
        Refusal.Subject(credential: credential, environment: .production, topic: nil)
    }
}
