import PushModel
import PushSending

/// A job that is ready to be sent to a receiver, with the JSON that its batches share.
// why: unchecked because its superclass is.
final class WebhookJob: QueuedJob, @unchecked Sendable {
    /// The JSON that all batches share, from the comma before `output` to the bracket that opens the recipients.
    let shared: [UInt8]
    /// The maximum number of this job's recipients in one batch.
    var mostRecipients: Int

    init(_ routed: RoutedJob, sink: any OutcomeSink, output: String) {
        shared = Self.shared(routed, output: output)
        mostRecipients = routed.redelivered ? BatchLimits.recipients(attempt: routed.attempt) : .max
        super.init(routed, sink: sink)
    }

    private static func shared(_ routed: RoutedJob, output: String) -> [UInt8] {
        let job = routed.job
        var writer = JSONObjectWriter(capacity: 256 + job.payload.count)
        writer.member("output", string: output)
        writer.member("app", string: job.app)
        writer.member("job", raw: describe(routed))
        var shared = writer.finish()
        // The members become part of the batch's object, so the braces of this object are removed.
        shared[0] = UInt8(ascii: ",")
        shared.removeLast()
        return shared + Array(#","recipients":["#.utf8)
    }

    private static func describe(_ routed: RoutedJob) -> [UInt8] {
        let job = routed.job
        var writer = JSONObjectWriter(capacity: 256 + job.payload.count)
        writer.member("id", string: job.id)
        writer.member("payload", raw: job.bytes(job.payload))
        if let priority = job.priority { writer.member("priority", integer: Int64(priority)) }
        switch job.expiration {
        case .nowOrNever: writer.member("expires_at", integer: 0)
        case .at(let deadline): writer.member("expires_at", string: deadline.rfc3339)
        case nil: break
        }
        if let collapseID = job.collapseID { writer.member("collapse_id", string: collapseID) }
        if let pushType = job.pushType { writer.member("push_type", string: pushType) }
        if let topic = job.topic { writer.member("topic", string: topic) }
        if routed.redelivered { writer.member("redelivered", raw: "true".utf8) }
        return writer.finish()
    }

    /// The maximum size of the shared JSON together with the batch's own fields, in bytes.
    var sharedSize: Int { shared.count + 128 }

    /// Returns the maximum size of a recipient in a batch, in bytes.
    func size(of recipient: Int) -> Int {
        let recipient = routed.job.recipients[recipient]
        return 96 + recipient.addressJSON.count + (recipient.refJSON?.count ?? 0) + (recipient.payload?.count ?? 0)
    }

    /// Returns the body of a request for a batch of recipients.
    func body(id: String, recipients: some Collection<Int>) -> [UInt8] {
        var body = Array(#"{"version":1,"batch":"\#(id)""#.utf8)
        body.reserveCapacity(body.count + shared.count + recipients.reduce(2) { $0 + size(of: $1) })
        body += shared
        routed.job.withBytes { bytes in
            for (place, recipient) in recipients.enumerated() {
                if place > 0 { body.append(UInt8(ascii: ",")) }
                append(routed.job.recipients[recipient], at: place, bytes, to: &body)
            }
        }
        body += "]}".utf8
        return body
    }

    private func append(
        _ recipient: Recipient, at place: Int, _ bytes: UnsafeBufferPointer<UInt8>, to body: inout [UInt8]
    ) {
        body += #"{"i":"#.utf8
        body += String(place).utf8
        body += #","token":"#.utf8
        body += bytes[recipient.addressJSON]
        if let ref = recipient.refJSON {
            body += #","ref":"#.utf8
            body += bytes[ref]
        }
        if let payload = recipient.payload {
            body += #","payload":"#.utf8
            body += bytes[payload]
        }
        body += #","attempt":"#.utf8
        body += String(routed.attempt).utf8
        body.append(UInt8(ascii: "}"))
    }
}
