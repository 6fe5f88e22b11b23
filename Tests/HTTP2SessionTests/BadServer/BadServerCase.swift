import HTTP2Session
import Testing

/// Invalid input from a server, and its required effect. Requests are open on streams 1, 3 and 5.
struct BadServerCase: CustomTestStringConvertible {
    enum End {
        /// The connection ends with this code in our GOAWAY, and with an error whose message contains this text.
        case connection(HTTP2ErrorCode, String)
        /// Stream 1 closes with this code. The other streams and the connection stay open.
        case stream(HTTP2ErrorCode)
        /// The session ignores the frame.
        case ignored
    }

    var testDescription: String
    var bytes: [UInt8]
    var end: End
    /// The effect with a newer version of nghttp2 (1.70), if it differs.
    var newerEnd: End?

    init(_ description: String, _ frames: RawFrame..., end: End, newer: End? = nil) {
        testDescription = description
        bytes = frames.flatMap(\.bytes)
        self.end = end
        newerEnd = newer
    }

    init(_ description: String, bytes: [UInt8], end: End) {
        testDescription = description
        self.bytes = bytes
        self.end = end
    }
}
