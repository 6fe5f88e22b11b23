package import HTTP2Session
package import PushModel
package import PushSending

/// A job that is ready to be sent. The header fields and the payload that its pushes share are prepared once.
// why: unchecked like its base class. Its own properties never change.
package final class PreparedJob: QueuedJob, @unchecked Sendable {
    package let request: APNSRequest
    /// The header fields that are the same for all recipients.
    package let fields: HTTP2Fields
    /// The job's payload, which is trimmed if it was too long and the job allows trimming.
    private let body: Body

    private struct Body {
        let bytes: HTTP2Body
        let trimmedBytes: Int
    }

    package convenience init(_ routed: RoutedJob, sink: any OutcomeSink) throws(APNSRequest.Fault) {
        try self.init(routed, sink: sink, sharing: LastFields())
    }

    init(_ routed: RoutedJob, sink: any OutcomeSink, sharing last: LastFields) throws(APNSRequest.Fault) {
        let job = routed.job
        request = try APNSRequest(for: job)
        if request.pushType.needsProviderToken, case .certificate = routed.credential?.kind {
            throw APNSRequest.Fault(reason: "TopicDisallowed")
        }
        do {
            fields = try last.fields(of: request)
        } catch {
            // Only the collapse id can still be invalid here. All other field values were checked before.
            throw APNSRequest.Fault(reason: "BadCollapseId")
        }
        body = Self.body(job.payload, of: job, request)
        super.init(routed, sink: sink, topic: request.healthTopic)
    }

    /// Returns the request body for one recipient.
    ///
    /// - Throws: the fault with the reason for which APNs would refuse the body.
    package func body(for recipient: Recipient) throws(APNSRequest.Fault) -> HTTP2Body {
        guard let own = recipient.payload else {
            if let fault = request.fault(ofPayloadBytes: body.bytes.count) { throw fault }
            return body.bytes
        }
        if !routed.job.trim, let fault = request.fault(ofPayloadBytes: own.count) { throw fault }
        let body = Self.body(own, of: routed.job, request)
        if let fault = request.fault(ofPayloadBytes: body.bytes.count) { throw fault }
        return body.bytes
    }

    /// Returns the number of bytes by which a recipient's payload was trimmed, or 0 if it was not.
    package func trimmedBytes(for recipient: Int) -> Int {
        guard routed.job.trim else { return 0 }
        guard let own = routed.job.recipients[recipient].payload else { return body.trimmedBytes }
        return Self.body(own, of: routed.job, request).trimmedBytes
    }

    private static func body(_ range: Range<Int>, of job: Job, _ request: APNSRequest) -> Body {
        let limit = request.maximumPayloadBytes
        let trimmed =
            job.trim && range.count > limit
            ? job.withBytes { PayloadTrimmer.trim(UnsafeBufferPointer(rebasing: $0[range]), toBytes: limit) } : nil
        guard let trimmed else { return Body(bytes: HTTP2Body(job.bytes(range)), trimmedBytes: 0) }
        return Body(bytes: HTTP2Body(trimmed.payload), trimmedBytes: trimmed.removedBytes)
    }
}

extension APNSRequest {
    package var headerFields: [HTTP2Field] {
        var fields = [
            channelID.map { HTTP2Field("apns-channel-id", $0) } ?? HTTP2Field("apns-topic", topic),
            HTTP2Field("apns-push-type", pushType.rawValue),
            HTTP2Field("apns-priority", String(priority)),
        ]
        if let expiration { fields.append(HTTP2Field("apns-expiration", String(expiration))) }
        if let collapseID { fields.append(HTTP2Field("apns-collapse-id", collapseID)) }
        return fields
    }
}
