/// What is answered to a broadcast or a request about channels.
struct ChannelReply: Equatable {
    var status: Int
    var fields: [String: String] = [:]
    var body: String?
    var reason: ChannelReason?

    static func refused(_ reason: ChannelReason) -> ChannelReply {
        ChannelReply(status: reason.status, body: #"{"reason":"\#(reason.rawValue)"}"#, reason: reason)
    }
}
