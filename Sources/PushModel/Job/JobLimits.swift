/// The limits of a job. A job that exceeds a limit is rejected with the name and value of that limit. docs/publish.md
/// lists all of them.
public struct JobLimits: Sendable {
    /// The maximum number of recipients (`jobs.maximum_recipients`).
    public var recipients: Int
    /// The latest value that a token's `registered_at` may have. A later value is an error, because the token could not
    /// be marked dead before that time.
    public var latestRegistration: Timestamp

    /// The maximum size of a job's own payload, in bytes. Each chunk of a large job repeats the payload. Apple,
    /// Google and browsers' push services accept less than a tenth of this size.
    public static let payloadBytes = 65_536
    /// The maximum sizes of the topic and the push type, in bytes. Both become header fields. Apple's servers accept
    /// 8,000 bytes of header fields and close the connection on a larger request, which aborts the requests of other
    /// jobs.
    static let topicBytes = 255
    static let pushTypeBytes = 64
    /// The maximum sizes of the app and the output, in bytes. Together with the event's kind they form a routing key,
    /// which has at most 255 bytes. A bundle id has at most 155 bytes.
    static let appBytes = 200
    static let outputBytes = 32
    /// The maximum sizes of a ref, of an address and of a subscription object, in bytes as written in the job,
    /// including escapes.
    static let refBytes = 1_024
    static let tokenBytes = 4_096
    static let subscriptionBytes = 8_192
    /// The allowed rates of an app or a job, in pushes per second.
    public static let rates = 1...1_000_000
    /// The tolerance for `registered_at` values in the future, in seconds. The publisher's clock may be ahead of the
    /// worker's clock by up to this many seconds.
    package static let clockTolerance: Int64 = 300

    public init(recipients: Int = .max, latestRegistration: Timestamp = Timestamp(milliseconds: .max)) {
        self.recipients = recipients
        self.latestRegistration = latestRegistration
    }

    package init(recipients: Int, now: Timestamp) {
        self.init(
            recipients: recipients, latestRegistration: Timestamp(seconds: now.seconds + Self.clockTolerance))
    }
}
