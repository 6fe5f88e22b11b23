/// An encoder that writes a message body for a job and some of its recipients. ``JobDecoder`` can read the body again.
/// The payload and the refs are copied byte for byte.
package enum JobEncoder {
    package static func encode(_ job: Job, recipients: [Int]) -> [UInt8] {
        job.withBytes { bytes in
            var writer = JSONObjectWriter(capacity: 256 + job.payload.count + recipients.count * 72)
            for field in JobField.allCases { field.write(job.fields, recipients, bytes, to: &writer) }
            return writer.finish()
        }
    }
}

extension Recipient {
    func write(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        guard kind != .token || refJSON != nil || payload != nil || registeredAt != nil else {
            return output.append(contentsOf: bytes[addressJSON])
        }
        var writer = JSONObjectWriter(capacity: 256)
        writer.member(kind.key, raw: bytes[addressJSON])
        if let refJSON { writer.member("ref", raw: bytes[refJSON]) }
        if let registeredAt { writer.member("registered_at", string: registeredAt.rfc3339) }
        if let payload { writer.member("payload", raw: bytes[payload]) }
        output.append(contentsOf: writer.finish())
    }
}
