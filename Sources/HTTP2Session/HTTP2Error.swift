internal import CNGHTTP2

/// The reason why a session refused a call, or why it ended.
public struct HTTP2Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of error that callers can distinguish.
    public enum Kind: Hashable, Sendable {
        /// A field's name or value can't be sent over HTTP/2 (RFC 9113, section 8.2.1).
        case invalidField
        /// The session takes no new streams: a GOAWAY was received, or the session is ending.
        case closing
        /// All 2^30 stream identifiers of the connection are used. Another connection is needed.
        case streamIDsExhausted
        /// The stream is not open.
        case unknownStream
        /// The peer broke the protocol. The session has ended, with this code in its GOAWAY.
        case connection(HTTP2ErrorCode)
        /// The peer does not speak HTTP/2: its connection preface was wrong.
        case badPreface
        /// The peer caused too many replies, refusals or frames without a message, for example with a flood of PING or
        /// SETTINGS frames.
        case flooded
        /// The call is not possible now, or not with these arguments.
        case misuse
        /// The HTTP/2 library failed.
        case library
    }

    public let kind: Kind
    /// The description of the error, for humans. It may name header fields but never contains their values.
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Creates the error for a negative return value of a library call.
    init(native code: Int, doing action: String, detail: String? = nil) {
        let kind: Kind =
            switch nghttp2_error(rawValue: Int32(truncatingIfNeeded: code)) {
            case NGHTTP2_ERR_BAD_CLIENT_MAGIC: .badPreface
            case NGHTTP2_ERR_FLOODED, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS: .flooded
            case NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE: .streamIDsExhausted
            case NGHTTP2_ERR_INVALID_ARGUMENT, NGHTTP2_ERR_INVALID_STATE: .misuse
            default: .library
            }
        let text = String(cString: nghttp2_strerror(Int32(truncatingIfNeeded: code)))
        self.init(kind, "\(action): \(text)" + (detail.map { " (\($0))" } ?? ""))
    }

    public var description: String {
        "HTTP/2 \(kind): \(message)"
    }
}
