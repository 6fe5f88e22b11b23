/// A decoder that reads a message body as a ``Job`` in one pass. It checks the complete form that the contract with
/// publishers requires.
///
/// The output checks push types, topics and the form of device tokens, because they depend on the provider.
public enum JobDecoder {
    /// Decodes a job.
    ///
    /// - Parameters:
    ///   - body: the message body.
    ///   - messageID: the message's `message_id` property, which is the job's id if the body contains none.
    ///   - makeID: a closure that creates an id if neither the body nor `messageID` contains one.
    /// - Throws: ``JobRejection`` with all faults found.
    public static func decode(
        _ body: [UInt8], messageID: String? = nil, limits: JobLimits = JobLimits(),
        makeID: () -> String
    ) throws(JobRejection) -> Job {
        var reader = JobReader(bodyLength: body.count, limits: limits)
        body.withUnsafeBufferPointer { reader.read($0) }
        let id = reader.fields.id.isEmpty ? messageID.flatMap { $0.isEmpty ? nil : $0 } : reader.fields.id
        if reader.fields.id.isEmpty, let messageID, messageID.contains("\u{FFFD}") {
            // Bytes of the id that were not UTF-8 have become U+FFFD, so different ids could be equal here.
            reader.fault("message_id", "is not valid text: it has U+FFFD, the replacement character")
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
