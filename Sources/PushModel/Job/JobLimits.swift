/// How much a job may hold. A job beyond them is refused with the limit's name and value; docs/publish.md lists all of
/// them.
public struct JobLimits: Sendable {
    /// Most recipients (`jobs.maximum_recipients`).
    public var recipients: Int
    /// A registration later than this is a mistake: until then nobody could mark the token dead.
    public var latestRegistration: Timestamp

    /// Most bytes of a job's own payload, which each chunk of a large job repeats. No provider takes a tenth of it.
    public static let payloadBytes = 65_536
    /// Most bytes of what becomes a header field. Apple's servers take 8,000 bytes of all fields together, and whoever
    /// sends more loses the connection, with what others have on it.
    static let topicBytes = 255
    static let pushTypeBytes = 64
    /// Most bytes of what events and logs repeat. App, kind and output together have to fit into a routing key, which
    /// has 255; a bundle id has 155 at most.
    static let appBytes = 200
    static let outputBytes = 32
    /// As they are written in the job, escapes included.
    static let refBytes = 1_024
    static let tokenBytes = 4_096
    static let subscriptionBytes = 8_192
    /// Pushes a second that an app or a job may ask for.
    public static let rates = 1...1_000_000
    /// How far the clock of whoever says when a token was registered may be ahead of ours, in seconds.
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
