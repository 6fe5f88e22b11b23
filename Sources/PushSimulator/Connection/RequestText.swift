/// The text of a request. It is kept only while requests are recorded or if the rules need it.
public final class RequestText {
    /// The token of a push in canonical spelling, or the path if the request is not a push. It is set when the request
    /// is complete.
    package internal(set) var token = ""
    package private(set) var path = ""
    /// All header fields except the path, including the other pseudo-headers.
    package private(set) var fields: [String: String] = [:]
    package private(set) var body: [UInt8] = []
    /// The decrypted body, which is recorded in place of the body, or `nil` to record the body itself.
    package var plaintext: [UInt8]?
    /// The maximum number of body bytes to keep.
    private let longestBody: Int
    /// Whether the request is complete and its result is not recorded yet.
    var isUnsettled = false
    /// Whether the request counts as an arrival that a GOAWAY may still revoke.
    var isUnanswered = false

    init(longestBody: Int) {
        self.longestBody = longestBody
    }

    package var method: String { fields[":method"] ?? "" }

    func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let name = String(decoding: name, as: UTF8.self), value = String(decoding: value, as: UTF8.self)
        if name == ":path" { path = value } else { fields[name] = value }
    }

    func take(body bytes: UnsafeRawBufferPointer) {
        body.append(contentsOf: bytes.prefix(longestBody - body.count))
    }

    func record(answer: GivenAnswer?, credential: String?) -> RecordedRequest {
        RecordedRequest(
            token: token, fields: fields.filter { !$0.key.hasPrefix(":") && $0.key != "authorization" },
            payload: plaintext ?? body, status: answer?.status, reason: answer?.reason, credential: credential)
    }
}
