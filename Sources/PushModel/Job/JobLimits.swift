/// The limits of a job. A job that exceeds one is rejected with the name and value of the limit. docs/publish.md lists
/// all of them.
public struct JobLimits: Sendable {
    /// The maximum number of recipients (`jobs.maximum_recipients`).
    public var recipients: Int
    /// The latest time at which a token may have been registered. A later time is an error, because until then the
    /// token could not be marked dead.
    public var latestRegistration: Timestamp

    /// The maximum size of a job's own payload, in bytes. Each chunk of a large job repeats the payload. No provider
    /// accepts a tenth of this size.
    public static let payloadBytes = 65_536
    /// The maximum size of values that become header fields, in bytes. Apple's servers accept 8,000 bytes of header
    /// fields. A larger request closes the connection, with the requests of other jobs on it.
    static let topicBytes = 255
    static let pushTypeBytes = 64
    /// The maximum size of values that events and logs repeat, in bytes. App, kind and output together must fit into a
    /// routing key of 255 bytes. A bundle id has at most 155.
    static let appBytes = 200
    static let outputBytes = 32
    /// The maximum sizes of values as they are written in the job, including escapes, in bytes.
    static let refBytes = 1_024
    static let tokenBytes = 4_096
    static let subscriptionBytes = 8_192
    /// The rates that an app or a job may have, in pushes per second.
    public static let rates = 1...1_000_000
    /// The number of seconds by which the clock that dates registrations may be ahead of the worker's.
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
