/// The text of a broadcast or of a request about channels, collected field by field.
final class ChannelRequest {
    private(set) var path = ""
    private(set) var fields: [String: String] = [:]
    private(set) var body: [UInt8] = []

    /// Bytes of a body that are kept: one more than any that is accepted.
    private static let longestBody = ChannelService.greatestPayload + 1
    static let broadcastPath: StaticString = "/4/broadcasts/"

    func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let text = String(decoding: value, as: UTF8.self)
        if name.equals(":path") { path = text } else { fields[String(decoding: name, as: UTF8.self)] = text }
    }

    func take(body bytes: UnsafeRawBufferPointer) {
        body.append(contentsOf: bytes.prefix(Self.longestBody - body.count))
    }

    var method: String { fields[":method"] ?? "" }
    /// The path's parts between the slashes.
    var parts: [Substring] { path.split(separator: "/") }
}

/// What is answered to one.
struct ChannelReply: Equatable {
    var status: Int
    var fields: [String: String] = [:]
    var body: String?
    var reason: ChannelReason?

    static func refused(_ reason: ChannelReason) -> ChannelReply {
        ChannelReply(status: reason.status, body: #"{"reason":"\#(reason.rawValue)"}"#, reason: reason)
    }
}
