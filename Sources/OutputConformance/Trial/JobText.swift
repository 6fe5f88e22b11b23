import PushModel

/// The JSON text of a job, in the form in which a publisher writes it.
struct JobText {
    let bytes: [UInt8]

    /// Creates the text of a job.
    ///
    /// - Parameter fields: JSON values by field name. They override the fields of the samples.
    init(
        id: String, samples: OutputSamples, output: String, recipients: [SampleRecipient], fields: [String: String]
    ) {
        var members = ["payload": samples.payload].merging(samples.fields) { $1 }.merging(fields) { $1 }
        members["id"] = Self.json(id)
        members["app"] = Self.json(samples.app)
        members["output"] = Self.json(output)
        members["recipients"] = "[\(recipients.map { Self.json($0, samples.address) }.joined(separator: ","))]"
        let text = members.map { "\(Self.json($0)):\($1)" }.joined(separator: ",")
        bytes = Array("{\(text)}".utf8)
    }

    private static func json(_ recipient: SampleRecipient, _ address: ((String) -> String)?) -> String {
        if address == nil, recipient.payload == nil { return json(recipient.token) }
        let member = address?(recipient.token) ?? #""token":\#(json(recipient.token))"#
        return "{\(member)\(recipient.payload.map { #","payload":\#($0)"# } ?? "")}"
    }

    static func json(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
