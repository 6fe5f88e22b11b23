/// A GOAWAY to send on demand.
public struct GoAwayFault: Sendable {
    /// The last stream to declare as processed, or `nil` for the last one that actually was.
    public var lastStreamID: Int32?
    /// The HTTP/2 error code (RFC 9113, section 7).
    public var code: UInt32
    /// The reason, sent in the debug data in the service's format, or `nil` for none.
    public var reason: String?
    /// Whether a GOAWAY that covers all streams is sent first (RFC 9113, section 6.8).
    public var announcesFirst: Bool

    public init(lastStreamID: Int32? = nil, code: UInt32 = 0, reason: String? = nil, announcesFirst: Bool = false) {
        self.lastStreamID = lastStreamID
        self.code = code
        self.reason = reason
        self.announcesFirst = announcesFirst
    }
}
