internal import CNGHTTP2

/// The SETTINGS parameters to announce to the peer (RFC 9113, section 6.5.2). A parameter that is `nil` is not sent and
/// keeps its last announced value, or the RFC's default if none was announced.
public struct HTTP2Settings: Hashable, Sendable {
    /// The size of the HPACK dynamic table that the peer may use for its header fields, in bytes. RFC default: 4,096.
    public var headerTableSize: UInt32?
    /// The number of streams that the peer may have open at once. RFC default: no limit.
    public var maxConcurrentStreams: UInt32?
    /// The number of body bytes that the peer may send on a stream before a WINDOW_UPDATE. RFC default: 65,535.
    public var initialWindowSize: UInt32?
    /// The payload size of the largest frame that this side accepts, from 16,384 to 16,777,215 bytes. RFC default:
    /// 16,384.
    public var maxFrameSize: UInt32?
    /// The size of the largest uncompressed header list that this side accepts, in bytes (names, values, and 32 bytes
    /// for each field). If it is `nil`, the session still enforces ``defaultHeaderListLimit``.
    public var maxHeaderListSize: UInt32?

    /// The header list limit of a session that does not announce one, in bytes.
    public static let defaultHeaderListLimit = 16_384

    public init(
        headerTableSize: UInt32? = nil, maxConcurrentStreams: UInt32? = nil, initialWindowSize: UInt32? = nil,
        maxFrameSize: UInt32? = nil, maxHeaderListSize: UInt32? = nil
    ) {
        self.headerTableSize = headerTableSize
        self.maxConcurrentStreams = maxConcurrentStreams
        self.initialWindowSize = initialWindowSize
        self.maxFrameSize = maxFrameSize
        self.maxHeaderListSize = maxHeaderListSize
    }

    var nativeEntries: [nghttp2_settings_entry] {
        let parameters: [(nghttp2_settings_id, UInt32?)] = [
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, headerTableSize),
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, maxConcurrentStreams),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, initialWindowSize),
            (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, maxFrameSize),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, maxHeaderListSize),
        ]
        return parameters.compactMap { identifier, value in
            value.map { nghttp2_settings_entry(settings_id: Int32(truncatingIfNeeded: identifier.rawValue), value: $0) }
        }
    }
}
