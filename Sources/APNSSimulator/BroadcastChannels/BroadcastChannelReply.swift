/// The answer to a broadcast or a channel request.
struct BroadcastChannelReply: Equatable {
    var status: Int
    var fields: [String: String] = [:]
    var body: String?
    var reason: BroadcastChannelReason?

    static func refused(_ reason: BroadcastChannelReason) -> BroadcastChannelReply {
        BroadcastChannelReply(status: reason.status, body: #"{"reason":"\#(reason.rawValue)"}"#, reason: reason)
    }
}
