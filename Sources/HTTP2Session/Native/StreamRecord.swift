/// The state that a session keeps for one open stream.
struct StreamRecord {
    /// The progress of the peer's message. Used by client sessions.
    enum ResponsePhase: UInt8 {
        case awaitingStatus, informational, fields, body
        /// Later parts of the message are not reported.
        case over
    }

    var tag = 0
    // The library reads fields and body without copying, so they are kept until the stream closes.
    var leadingFields: HTTP2Fields?
    var fields: HTTP2Fields?
    var body: HTTP2Body?
    var bodyOffset = 0
    var unsentBytes: Int { (body?.count ?? 0) - bodyOffset }
    var responsePhase = ResponsePhase.awaitingStatus
    /// The next record in the slab's list of free records, or -1.
    var nextFree: Int32 = -1
}
