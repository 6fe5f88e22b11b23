internal import CNGHTTP2

/// An HTTP/2 error code of RST_STREAM and GOAWAY frames (RFC 9113, section 7).
public struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let noError = HTTP2ErrorCode(rawValue: 0x0)
    public static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    public static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    public static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
    public static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
    public static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    public static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
    /// The stream was not processed, so its request can safely be sent again (RFC 9113, section 8.7).
    public static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    public static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    public static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
    public static let connectError = HTTP2ErrorCode(rawValue: 0xa)
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
    public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xc)
    public static let http11Required = HTTP2ErrorCode(rawValue: 0xd)

    /// Returns the rule that was broken, for errors that the library reports only as a code.
    ///
    /// - Parameter place: The description of the last frame with a valid header.
    func meaning(at place: String) -> String {
        switch self {
        case .compressionError: "\(place): a header block that cannot be decoded (RFC 7541)"
        case .frameSizeError: "a frame of the wrong size for its type, after a \(place)"
        default: "\(self), after a \(place)"
        }
    }

    /// The code's name in RFC 9113, for example `REFUSED_STREAM`.
    public var description: String {
        String(cString: nghttp2_http2_strerror(rawValue))
    }
}
