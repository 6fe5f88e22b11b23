/// What is answered to a broadcast or a request about channels.
struct BroadcastChannelReply: Equatable {
    var status: Int
    var fields: [String: String] = [:]
    var body: String?
    var reason: BroadcastChannelReason?

    static func refused(_ reason: BroadcastChannelReason) -> BroadcastChannelReply {
        BroadcastChannelReply(status: reason.status, body: #"{"reason":"\#(reason.rawValue)"}"#, reason: reason)
    }
}
