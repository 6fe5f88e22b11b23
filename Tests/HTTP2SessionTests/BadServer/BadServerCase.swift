import HTTP2Session
import Testing

/// Something a server must not send, and what it must lead to. Requests are under way on streams 1, 3 and 5.
struct BadServerCase: CustomTestStringConvertible {
    enum End {
        /// The connection ends with this code in our GOAWAY and an error that says so in these words.
        case connection(HTTP2ErrorCode, String)
        /// Stream 1 closes with this code; the others and the connection live.
        case stream(HTTP2ErrorCode)
        /// The frame is to be ignored.
        case ignored
    }

    var testDescription: String
    var bytes: [UInt8]
    var end: End
    /// The end with a newer version of nghttp2 (1.70), if it differs.
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
