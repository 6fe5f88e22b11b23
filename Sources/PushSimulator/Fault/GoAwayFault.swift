/// A GOAWAY frame to send on demand.
public struct GoAwayFault: Sendable {
    /// The last stream to declare as processed, or `nil` for the last stream on which a request has arrived.
    public var lastStreamID: Int32?
    /// The HTTP/2 error code (RFC 9113, section 7).
    public var code: UInt32
    /// The reason, or `nil` for none. It is sent as debug data in the service's format.
    public var reason: String?
    /// Whether a GOAWAY frame that covers all streams is sent first (RFC 9113, section 6.8).
    public var announcesFirst: Bool

    public init(lastStreamID: Int32? = nil, code: UInt32 = 0, reason: String? = nil, announcesFirst: Bool = false) {
        self.lastStreamID = lastStreamID
        self.code = code
        self.reason = reason
        self.announcesFirst = announcesFirst
    }
}
