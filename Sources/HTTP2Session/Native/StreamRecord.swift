/// What a session keeps for one open stream.
struct StreamRecord {
    /// How far the peer's message has come; used by client sessions.
    enum ResponsePhase: UInt8 {
        case awaitingStatus, informational, fields, body
        /// Nothing that may still come is told.
        case over
    }

    var tag = 0
    // The library reads fields and body without copying, so they live until the stream closes.
    var leadingFields: HTTP2Fields?
    var fields: HTTP2Fields?
    var body: HTTP2Body?
    var bodyOffset = 0
    var unsentBytes: Int { (body?.count ?? 0) - bodyOffset }
    var responsePhase = ResponsePhase.awaitingStatus
    /// The slab's list of free records.
    var nextFree: Int32 = -1
}
