/// A push job as published to the broker: one payload and whom to send it to.
///
/// A broadcast has one recipient, whose token is the channel's id: it is routed, retried and settled as any other job.
///
/// The message body is kept as it came. The payload, the tokens and the refs are byte ranges of it, so a job
/// of a thousand recipients is one allocation for the body and one for the list of ranges.
public final class Job: Sendable {
    /// When a push stops being worth sending.
    public enum Expiration: Sendable, Hashable {
        /// Deliver at once or not at all; the provider must not store it.
        case nowOrNever
        /// The provider may store it until then; we do not send it later than that.
        case at(Timestamp)
    }

    /// The output of a job that names none, as the contract says it.
    public static let defaultOutput = "apns"

    /// Which outcomes the publisher wants to hear of.
    public enum ResultScope: String, Sendable, Hashable, CaseIterable {
        case all
        /// Everything but `sent`.
        case problems
    }

    public let id: String
    /// The publisher has given the id, in the job or as the message's; otherwise it was made up, and another delivery of
    /// the message gets another.
    public let hasGivenID: Bool
    /// Bundle id of the app, which selects its row, hence the credential and the default topic.
    public let app: String
    /// Name of the output that delivers it.
    public let output: String
    /// nil: the app row's.
    public let environment: PushEnvironment?
    /// Id of a credential that goes before what routing would choose; nil: routing chooses.
    public let credential: Credential.ID?
    public let recipients: [Recipient]
    /// The one recipient is a channel, not a device.
    public let isBroadcast: Bool
    /// Where in ``storage`` the payload is.
    public let payload: Range<Int>
    public let pushType: String?
    public let topic: String?
    public let priority: Int?
    /// nil: the provider's own storage rule applies.
    public let expiration: Expiration?
    public let collapseID: String?
    /// Nothing is sent before; nil: at once.
    public let sendAt: Timestamp?
    /// A push that may have been accepted is never sent again.
    public let atMostOnce: Bool
    /// An alert body too long for the payload limit is cut rather than refused.
    public let trim: Bool
    public let results: ResultScope
    /// W3C Trace Context of the publisher, carried into the outcomes' event.
    public let traceparent: String?

    /// The message body, followed by the tokens that had to be unescaped.
    @usableFromInline
    let storage: [UInt8]
    private let bodyLength: Int

    package init(_ fields: JobFields, storage: [UInt8], bodyLength: Int, traceparent: String?) {
        self.id = fields.id
        self.hasGivenID = fields.hasGivenID
        self.app = fields.app
        self.output = fields.output
        self.environment = fields.environment
        self.credential = fields.credential
        self.recipients = fields.recipients
        self.isBroadcast = fields.isBroadcast
        self.payload = fields.payload
        self.pushType = fields.pushType
        self.topic = fields.topic
        self.priority = fields.priority
        self.expiration = fields.expiration
        self.collapseID = fields.collapseID
        self.sendAt = fields.sendAt
        self.atMostOnce = fields.atMostOnce
        self.trim = fields.trim
        self.results = fields.results
        self.traceparent = traceparent
        self.storage = storage
        self.bodyLength = bodyLength
    }

    private init(_ job: Job, recipients: [Recipient]) {
        self.id = job.id
        self.hasGivenID = job.hasGivenID
        self.app = job.app
        self.output = job.output
        self.environment = job.environment
        self.credential = job.credential
        self.recipients = recipients
        self.isBroadcast = job.isBroadcast
        self.payload = job.payload
        self.pushType = job.pushType
        self.topic = job.topic
        self.priority = job.priority
        self.expiration = job.expiration
        self.collapseID = job.collapseID
        self.sendAt = job.sendAt
        self.atMostOnce = job.atMostOnce
        self.trim = job.trim
        self.results = job.results
        self.traceparent = job.traceparent
        self.storage = job.storage
        self.bodyLength = job.bodyLength
    }

    /// The same job for some of its recipients, by their index; shares the bytes.
    package func limited(to recipients: [Int]) -> Job {
        Job(self, recipients: recipients.map { self.recipients[$0] })
    }

    /// Lends the bytes that all ranges of this job point into.
    @inlinable
    public func withBytes<R, E: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R) throws(E) -> R {
        try storage.withUnsafeBufferPointer(body)
    }

    /// The bytes of one of this job's ranges.
    public func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { storage[range] }

    /// The message body as published.
    package var body: ArraySlice<UInt8> { storage[..<bodyLength] }

    /// True once the job's own deadline has passed.
    public func isExpired(at now: Timestamp) -> Bool {
        if case .at(let deadline) = expiration { deadline < now } else { false }
    }
}

/// What ``JobDecoder`` has read of a job.
package struct JobFields {
    package var id = ""
    package var hasGivenID = false
    package var app = ""
    package var output = Job.defaultOutput
    package var environment: PushEnvironment?
    package var credential: Credential.ID?
    package var recipients: [Recipient] = []
    package var isBroadcast = false
    package var payload = 0..<0
    package var pushType: String?
    package var topic: String?
    package var priority: Int?
    package var expiration: Job.Expiration?
    package var collapseID: String?
    package var sendAt: Timestamp?
    package var atMostOnce = false
    package var trim = false
    package var results = Job.ResultScope.all
}
