internal import CNGHTTP2

/// Announces a server's limit for open streams to the client, and not to the library.
///
/// The library ends the whole connection over one stream above a limit that the client has acknowledged; a server may
/// refuse that one stream (RFC 9113, section 5.1.2), as servers do. So the library is handed the limit under a number
/// that means nothing to it, the frame gets the right number on its way out, and ``HTTP2ServerSession`` counts.
struct StreamLimitAnnouncement {
    /// Of the numbers that no setting will have (RFC 9114, section 7.2.4.1, for HTTP/2 by custom).
    private static let placeholder = 0x0a0a
    private static let frameHeaderLength = 9, entryLength = 6

    /// SETTINGS frames that the library has not handed out yet.
    private var unsent = 0

    mutating func entries(for settings: HTTP2Settings) -> [nghttp2_settings_entry] {
        unsent += 1
        return settings.nativeEntries.map { entry in
            guard entry.settings_id == Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue) else { return entry }
            return nghttp2_settings_entry(settings_id: Int32(Self.placeholder), value: entry.value)
        }
    }

    /// - Returns: what to send in place of a piece of output; nil: the piece itself, as nearly always.
    mutating func replacement(for piece: UnsafeRawBufferPointer) -> [UInt8]? {
        guard unsent > 0, Self.isSettings(piece) else { return nil }
        unsent -= 1
        var bytes = Array(piece)
        for entry in stride(from: Self.frameHeaderLength, to: bytes.count, by: Self.entryLength)
        where Int(bytes[entry]) << 8 | Int(bytes[entry + 1]) == Self.placeholder {
            bytes[entry] = 0
            bytes[entry + 1] = UInt8(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue)
        }
        return bytes
    }

    /// Whether this is one SETTINGS frame of ours and nothing else: the library hands out frame by frame.
    private static func isSettings(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count >= frameHeaderLength else { return false }
        let length = Int(piece[0]) << 16 | Int(piece[1]) << 8 | Int(piece[2])
        return piece[3] == UInt8(NGHTTP2_SETTINGS.rawValue)
            && piece[4] & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0
            && piece[5...8].allSatisfy { $0 == 0 } && piece.count == frameHeaderLength + length
            && length.isMultiple(of: entryLength)
    }
}
