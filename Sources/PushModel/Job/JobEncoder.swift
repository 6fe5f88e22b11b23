/// Writes a job for some of its recipients as a message body that ``JobDecoder`` reads back the same.
/// The payload and the refs are copied byte for byte.
package enum JobEncoder {
    package static func encode(_ job: Job, recipients: [Int]) -> [UInt8] {
        job.withBytes { bytes in
            var writer = JSONObjectWriter(capacity: 256 + job.payload.count + recipients.count * 72)
            writer.member("id", string: job.id)
            writer.member("app", string: job.app)
            writer.member("output", string: job.output)
            if let environment = job.environment { writer.member("environment", string: environment.rawValue) }
            if let credential = job.credential { writer.member("credential", string: credential) }
            if let pushType = job.pushType { writer.member("push_type", string: pushType) }
            if let topic = job.topic { writer.member("topic", string: topic) }
            if let priority = job.priority { writer.member("priority", integer: Int64(priority)) }
            switch job.expiration {
            case .nowOrNever: writer.member("expires_at", integer: 0)
            case .at(let moment): writer.member("expires_at", string: moment.rfc3339)
            case nil: break
            }
            if let collapseID = job.collapseID { writer.member("collapse_id", string: collapseID) }
            if job.atMostOnce { writer.member("at_most_once", raw: "true".utf8) }
            if job.trim { writer.member("trim", raw: "true".utf8) }
            writer.member("results", string: job.results.rawValue)
            writer.member("payload", raw: bytes[job.payload])
            if job.isBroadcast, let channel = recipients.first {
                writer.member("channel", raw: bytes[job.recipients[channel].tokenJSON])
                return writer.finish()
            }
            writer.array("recipients") { output in
                for (position, index) in recipients.enumerated() {
                    if position > 0 { output.append(UInt8(ascii: ",")) }
                    append(job.recipients[index], bytes, to: &output)
                }
            }
            return writer.finish()
        }
    }

    private static func append(
        _ recipient: Recipient, _ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]
    ) {
        guard recipient.refJSON != nil || recipient.payload != nil || recipient.registeredAt != nil else {
            return output.append(contentsOf: bytes[recipient.tokenJSON])
        }
        var writer = JSONObjectWriter(capacity: 256)
        writer.member("token", raw: bytes[recipient.tokenJSON])
        if let ref = recipient.refJSON { writer.member("ref", raw: bytes[ref]) }
        if let moment = recipient.registeredAt { writer.member("registered_at", string: moment.rfc3339) }
        if let payload = recipient.payload { writer.member("payload", raw: bytes[payload]) }
        output.append(contentsOf: writer.finish())
    }
}
