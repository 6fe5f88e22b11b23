/// Reads a message body as a ``Job`` in one pass, checking everything the contract says of its form.
///
/// The output judges what only a provider can judge: push types, topics, a device token's form.
public enum JobDecoder {
    /// - Parameters:
    ///   - body: the message body.
    ///   - messageID: the message's `message_id` property, which is the job's id when the body has none.
    ///   - makeID: gives an id to a job that has neither.
    public static func decode(
        _ body: [UInt8], messageID: String? = nil, limits: JobLimits = JobLimits(),
        makeID: () -> String
    ) throws(JobRejection) -> Job {
        var reader = JobReader(bodyLength: body.count, limits: limits)
        body.withUnsafeBufferPointer { reader.read($0) }
        let id = reader.fields.id.isEmpty ? messageID.flatMap { $0.isEmpty ? nil : $0 } : reader.fields.id
        if reader.fields.id.isEmpty, let messageID, messageID.contains("\u{FFFD}") {
            // Bytes that were not UTF-8 read so, and ids that differ in them would be one.
            reader.fault("message_id", "is no text: it has U+FFFD, the replacement character")
        }
        guard reader.faults.isEmpty else {
            throw JobRejection(
                jobID: id, app: reader.fields.app.isEmpty ? nil : reader.fields.app, faults: reader.faults)
        }
        reader.fields.hasGivenID = id != nil
        reader.fields.id = id ?? makeID()
        return Job(
            reader.fields, storage: reader.unescapedTokens.isEmpty ? body : body + reader.unescapedTokens,
            bodyLength: body.count)
    }
}
