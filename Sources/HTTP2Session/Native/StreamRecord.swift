/// The state that a session keeps for one open stream.
struct StreamRecord {
    /// The progress of a response, for client sessions.
    enum ResponsePhase: UInt8 {
        case awaitingStatus, informational, fields, body
        /// The stream was reset, so later parts of the response are not reported.
        case over
    }

    var tag = 0
    // Fields and body are kept until the stream closes, because the library reads them without copying.
    var leadingFields: HTTP2Fields?
    var fields: HTTP2Fields?
    var body: HTTP2Body?
    var bodyOffset = 0
    var unsentBytes: Int { (body?.count ?? 0) - bodyOffset }
    var responsePhase = ResponsePhase.awaitingStatus
    /// The index of the next record in the slab's list of free records, or -1 at its end.
    var nextFree: Int32 = -1
}
