/// The outcome of one delivery of a job for one of its recipients.
///
/// Most verdicts are the kinds of result events. The pipeline turns the other three, ``Verdict/retry``,
/// ``Verdict/hold`` and ``Verdict/returned``, into another attempt or into `failed`, `expired` or `unknown`. It also
/// retries pushes with the verdict ``Verdict/unknown``, unless the job is `at_most_once`.
public struct Outcome: Sendable {
    public enum Verdict: UInt8, Sendable, Hashable, CaseIterable {
        /// The provider accepted the push, but may not have delivered it yet.
        case sent
        /// The provider reports that the token is dead.
        case unregistered
        /// The push was refused permanently, by the provider or by Martlet's own checks.
        case rejected
        /// Martlet gave up. The provider certainly did not accept the push.
        case failed
        /// The push may have been accepted. No usable answer arrived, or an earlier worker may have sent the push.
        case unknown
        /// The deadline passed before the push could be sent.
        case expired
        /// The push was not sent, because the token is marked dead and has not been registered again.
        case suppressed
        /// The push was certainly not accepted, and a later attempt may succeed.
        case retry
        /// The push was certainly not accepted. It must wait, for example because the provider refuses the credential,
        /// limits the rate or cannot be reached. The push is delayed, and no attempt is counted.
        case hold
        /// The push was certainly not accepted, and the worker stops or the credential was retired. This or another
        /// worker routes the job again, and no attempt is counted.
        case returned
    }

    /// The party that decided an outcome.
    public enum Judge: String, Sendable, Hashable {
        case provider
        case martlet
    }

    /// The reason for outcomes of a job that an operator cancelled.
    public static let cancelled = "Cancelled"
    /// The reason for an outcome if no connection could be made.
    package static let connectionFailed = "ConnectionFailed"
    /// The reason for an outcome if the provider accepts connections but sends no answer, or if a probe has not been
    /// answered yet.
    package static let noAnswer = "NoAnswer"

    public let job: RoutedJob
    /// The index of the recipient in the job.
    public let recipient: Int
    public let verdict: Verdict
    /// The provider's status code, or 0 if the provider did not answer.
    public let status: Int
    /// The provider's reason, or a reason that Martlet assigned in the same style. It is `nil` for `sent`, and may be
    /// `nil` for `expired`, `suppressed` and `returned`. Control characters are escaped.
    public let reason: String?
    /// An explanation from the provider or from Martlet, or `nil` if there is none. It omits the recipient's full
    /// address, and control characters are escaped.
    public let detail: String?
    public let judge: Judge
    public let providerID: ProviderID?
    /// A second id for the push for use with the provider's own tools, or `nil` if the provider gave none.
    public let uniqueID: String?
    /// The time at which the provider found the token dead, or the time of sending if the provider does not state it.
    /// It is `nil` for verdicts other than `unregistered` and `suppressed`.
    public let unregisteredAt: Timestamp?
    /// The number of bytes by which the payload was trimmed. It is 0 unless the job allows trimming.
    public let trimmedBytes: Int
    /// The minimum delay before another attempt, in seconds, for `retry`, `hold` and `unknown`. It is 0 if there is no
    /// minimum.
    public let retryAfterSeconds: Int32
    /// The time of the outcome.
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
