/// What became of one recipient in one delivery of a job.
///
/// The kinds are those of the result event, plus ``Verdict/retry``, ``Verdict/hold`` and ``Verdict/returned``,
/// which the pipeline turns into another attempt or into `failed`.
public struct Outcome: Sendable {
    public enum Verdict: UInt8, Sendable, Hashable, CaseIterable {
        /// Accepted by the provider, which is not: delivered.
        case sent
        /// The provider says that the token is dead.
        case unregistered
        /// Refused for good, by the provider or by our own checks.
        case rejected
        /// Given up; certainly not accepted.
        case failed
        /// May have been accepted: the connection died after the request was written.
        case unknown
        /// Its deadline passed before it could be sent.
        case expired
        /// Not sent, because the token is marked dead and has not registered again.
        case suppressed
        /// Certainly not accepted, and worth another attempt later.
        case retry
        /// Certainly not accepted, because the credential is refused or the provider cannot be reached. The push waits
        /// until that is over, and no attempt is counted.
        case hold
        /// Certainly not sent, because the worker stops or the credential was retired meanwhile; it is routed anew,
        /// here or by another worker, without an attempt having been made.
        case returned
    }

    /// Who decided.
    public enum Judge: String, Sendable, Hashable {
        case provider
        case martlet
    }

    /// The reason of what an operator wants no more of.
    public static let cancelled = "Cancelled"
    /// No connection could be made.
    package static let connectionFailed = "ConnectionFailed"
    /// The provider accepted connections, or a probe, but sent no answer.
    package static let noAnswer = "NoAnswer"

    public let job: RoutedJob
    /// Index into the job's recipients.
    public let recipient: Int
    public let verdict: Verdict
    /// The provider's status code; 0 when there was no answer.
    public let status: Int
    /// The provider's reason, or a reason of Martlet with the same naming; `nil` for `sent`. Control characters are
    /// escaped.
    public let reason: String?
    /// An explanation for people, in the provider's words and without the recipient's full address. Control characters
    /// are escaped.
    public let detail: String?
    public let judge: Judge
    public let providerID: ProviderID?
    /// A second id that the provider gives, for its own tools.
    public let uniqueID: String?
    /// For `unregistered`: when the provider last found the token dead.
    public let unregisteredAt: Timestamp?
    /// How many bytes shorter the payload was made to fit; 0 unless the job asked for it.
    public let trimmedBytes: Int
    /// For `retry`, `hold` and `unknown`: the least to wait, in seconds, where somebody has said so; else 0.
    public let retryAfterSeconds: Int32
    public let at: Timestamp

    public init(
        job: RoutedJob, recipient: Int, verdict: Verdict, status: Int = 0, reason: String? = nil,
        detail: String? = nil, judge: Judge = .martlet, providerID: ProviderID? = nil, uniqueID: String? = nil,
        unregisteredAt: Timestamp? = nil, trimmedBytes: Int = 0, retryAfterSeconds: Int32 = 0,
        at: Timestamp
    ) {
        self.job = job
        self.recipient = recipient
        self.verdict = verdict
        self.status = status
        self.reason = reason?.printable
        self.detail = detail?.printable
        self.judge = judge
        self.providerID = providerID
        self.uniqueID = uniqueID
        self.unregisteredAt = unregisteredAt
        self.trimmedBytes = trimmedBytes
        self.retryAfterSeconds = retryAfterSeconds
        self.at = at
    }
}
