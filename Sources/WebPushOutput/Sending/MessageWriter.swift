import HTTP2Session
import PushModel

/// Makes the two parts of a request that differ for each message: its path and its body. One for each event loop.
final class MessageWriter {
    private let path = UnsafeMutableRawBufferPointer.allocate(byteCount: PushEndpoint.maximumBytes, alignment: 1)
    // One owner, one thread: nothing for exclusivity checks to find on the hot path.
    @exclusivity(unchecked) private var encryption = MessageEncryption()

    deinit { path.deallocate() }

    /// Valid until the next call.
    func path(of recipient: Recipient, from start: Int, in job: Job) -> UnsafeRawBufferPointer {
        job.withBytes { bytes in
            let source = bytes[recipient.token].dropFirst(start)
            path.copyBytes(from: source)
            return UnsafeRawBufferPointer(rebasing: path[..<source.count])
        }
    }

    /// The message for this recipient, encrypted; nil: there is none, only the push itself.
    func body(for recipient: Recipient, of job: WebPushJob, now: Timestamp) throws(WebPushFault) -> HTTP2Body? {
        let subscription = try job.routed.job.withBytes { bytes throws(WebPushFault) in
            try Subscription(UnsafeBufferPointer(rebasing: bytes[recipient.addressJSON]))
        }
        if let end = subscription.expiration, end < now { throw .subscriptionExpired }
        guard let record = try job.message(for: recipient).record else { return nil }
        guard let keys = subscription.keys else { throw .missingKeys }
        do {
            return HTTP2Body(try encryption.body(record, for: keys)[...])
        } catch {
            throw .encryptionFailed
        }
    }
}
