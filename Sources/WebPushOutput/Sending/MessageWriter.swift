import HTTP2Session
import PushModel

/// A writer for the path and the body of a request, the two parts that differ for each message. Each event loop has its
/// own writer.
final class MessageWriter {
    private let path = UnsafeMutableRawBufferPointer.allocate(byteCount: PushEndpoint.maximumBytes, alignment: 1)
    // Exclusivity checks are off on this hot path, because only one thread uses this object.
    @exclusivity(unchecked) private var encryption = MessageEncryption()

    deinit { path.deallocate() }

    /// Returns the path of a message. The memory is valid until the next call.
    func path(of recipient: Recipient, in job: Job) -> UnsafeRawBufferPointer {
        job.withBytes { bytes in
            let source = PushEndpoint.path(of: bytes[recipient.token])
            path.copyBytes(from: source)
            return UnsafeRawBufferPointer(rebasing: path[..<source.count])
        }
    }

    /// Returns the encrypted message for a recipient, or `nil` if the payload is empty.
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
