import HTTP2Session
import PushModel

/// A job ready to be sent: everything its pushes share is encoded once.
final class PreparedJob: Sendable {
    let routed: RoutedJob
    let sink: any OutcomeSink
    let request: APNSRequest
    /// The header fields that are the same for each device.
    let fields: HTTP2Fields
    /// The job's payload; a recipient may have its own.
    private let body: HTTP2Body

    init(_ routed: RoutedJob, sink: any OutcomeSink) throws(APNSRequest.Fault) {
        let job = routed.job
        self.routed = routed
        self.sink = sink
        request = try APNSRequest(for: job)
        do {
            fields = try HTTP2Fields(request.headerFields)
        } catch {
            // Of all values only the collapse id is free text.
            throw APNSRequest.Fault(reason: "BadCollapseId")
        }
        body = job.withBytes { HTTP2Body(copying: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[job.payload])) }
    }

    /// The body for one recipient, or the reason for which APNs would refuse it.
    func body(for recipient: Recipient) throws(APNSRequest.Fault) -> HTTP2Body {
        let body: HTTP2Body
        if let own = recipient.payload {
            body = routed.job.withBytes { HTTP2Body(copying: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[own])) }
        } else {
            body = self.body
        }
        if let fault = request.fault(ofPayloadBytes: body.count) { throw fault }
        return body
    }
}

extension APNSRequest {
    var headerFields: [HTTP2Field] {
        var fields = [
            HTTP2Field("apns-topic", topic),
            HTTP2Field("apns-push-type", pushType.rawValue),
            HTTP2Field("apns-priority", String(priority)),
        ]
        if let expiration { fields.append(HTTP2Field("apns-expiration", String(expiration))) }
        if let collapseID { fields.append(HTTP2Field("apns-collapse-id", collapseID)) }
        return fields
    }
}
