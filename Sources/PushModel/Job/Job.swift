/// A push job as published to the broker: one payload and whom to send it to.
///
/// A broadcast has one recipient, whose token is the channel's id: it is routed, retried and settled as any other job.
///
/// The message body is kept as it came. The payload, the tokens and the refs are byte ranges of it, so a job
/// of a thousand recipients is one allocation for the body and one for the list of ranges.
@dynamicMemberLookup
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

    /// What the publisher has said; `job.topic` is `job.fields.topic`.
    public let fields: JobFields

    /// The message body, followed by the tokens that had to be unescaped.
    @usableFromInline
    let storage: [UInt8]
    private let bodyLength: Int

    package init(_ fields: JobFields, storage: [UInt8], bodyLength: Int) {
        self.fields = fields
        self.storage = storage
        self.bodyLength = bodyLength
    }

    @inlinable
    public subscript<Value>(dynamicMember field: KeyPath<JobFields, Value>) -> Value { fields[keyPath: field] }

    /// The same job for some of its recipients, by their index; shares the bytes.
    package func limited(to recipients: [Int]) -> Job {
        var some = fields
        some.recipients = recipients.map { fields.recipients[$0] }
        return Job(some, storage: storage, bodyLength: bodyLength)
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
        if case .at(let deadline) = fields.expiration { deadline < now } else { false }
    }
}
