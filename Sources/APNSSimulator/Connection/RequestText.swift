/// A request's text, kept only while requests are recorded or answers are chosen by token: checking needs none.
final class RequestText {
    /// Lower-case hex digits; the whole path if it is not a device's.
    private(set) var token = ""
    private var fields: [String: String] = [:]
    private var payload: [UInt8] = []
    /// Bytes of a payload that are kept: more than any that is accepted.
    private static let longestPayload = 8_192
    /// Whether the request has come in whole and what became of it is not recorded yet.
    var isUnsettled = false
    /// Whether it counts as an arrival that a GOAWAY may take back.
    var isUnanswered = false

    func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if name.equals(":path") {
            let prefix = RequestFacts.devicePath
            let token = value.hasPrefix(prefix) ? value.dropFirst(prefix.utf8CodeUnitCount) : value[...]
            self.token = String(decoding: token, as: UTF8.self).lowercased()
        } else if !name.hasPrefix(":"), !name.equals("authorization") {
            fields[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
    }

    func take(body bytes: UnsafeRawBufferPointer) {
        payload.append(contentsOf: bytes.prefix(Self.longestPayload - payload.count))
    }

    func record(answer: PlannedAnswer?, credential: String?) -> RecordedRequest {
        RecordedRequest(
            token: token, fields: fields, payload: String(decoding: payload, as: UTF8.self), status: answer?.status,
            reason: answer?.reason, credential: credential)
    }
}
