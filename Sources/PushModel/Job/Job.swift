/// A push job as it was published to the broker: one payload and its recipients.
///
/// A broadcast has one recipient, whose token is the id of the broadcast channel. It is routed, retried and settled
/// like any other job.
///
/// The message body is kept unchanged. The payload, the tokens and the refs are byte ranges of it, so a job with a
/// thousand recipients needs only two large allocations: the body and the list of ranges.
@dynamicMemberLookup
public final class Job: Sendable {
    /// The deadline of a job's pushes.
    public enum Expiration: Sendable, Hashable {
        /// The push is delivered at once or not at all. The provider must not store it.
        case nowOrNever
        /// The provider may store the push until this time. Martlet does not send the push after this time.
        case at(Timestamp)
    }

    /// The name of the output for jobs without the field `output`. The value is part of the contract with publishers.
    public static let defaultOutput = "apns"

    /// The outcomes for which the publisher wants result events.
    public enum ResultScope: String, Sendable, Hashable, CaseIterable {
        case all
        /// All outcomes except `sent`.
        case problems
    }

    /// The fields of the job. `job.topic` is short for `job.fields.topic`.
    public let fields: JobFields

    /// The message body, followed by the unescaped forms of tokens with escapes.
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

    /// Returns a copy of this job with only the recipients at the given indices. The copy shares the bytes of this job.
    package func limited(to recipients: [Int]) -> Job {
        var some = fields
        some.recipients = recipients.map { fields.recipients[$0] }
        return Job(some, storage: storage, bodyLength: bodyLength)
    }

    /// Calls `body` with the bytes to which all ranges of this job refer.
    @inlinable
    public func withBytes<R, E: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R) throws(E) -> R {
        try storage.withUnsafeBufferPointer(body)
    }

    /// Returns the bytes in one of this job's ranges, such as its payload.
    public func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { storage[range] }

    /// The message body as published.
    package var body: ArraySlice<UInt8> { storage[..<bodyLength] }

    /// Returns whether the job's deadline has passed. A `nowOrNever` job and a job without a deadline never expire.
    public func isExpired(at now: Timestamp) -> Bool {
        if case .at(let deadline) = fields.expiration { deadline < now } else { false }
    }
}
