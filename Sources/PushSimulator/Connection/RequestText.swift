/// A request's text, kept only while requests are recorded and where the rules ask for it.
public final class RequestText {
    /// Whom the push is for, in its canonical spelling, as soon as the request is whole; the path if it is about something
    /// else.
    package internal(set) var token = ""
    package private(set) var path = ""
    /// All others, pseudo-headers too.
    package private(set) var fields: [String: String] = [:]
    package private(set) var body: [UInt8] = []
    /// What is recorded in place of the body, where that has to be deciphered; nil: the body.
    package var plaintext: [UInt8]?
    /// Bytes of a body that are kept.
    private let longestBody: Int
    /// Whether the request has come in whole and what became of it is not recorded yet.
    var isUnsettled = false
    /// Whether it counts as an arrival that a GOAWAY may take back.
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
