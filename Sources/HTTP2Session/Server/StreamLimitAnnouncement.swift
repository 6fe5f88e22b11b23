internal import CNGHTTP2

/// A helper that announces a server's limit on open streams to the client, but hides it from the library.
///
/// The library ends the whole connection if one stream exceeds a limit that the client has acknowledged. A server may
/// instead refuse only that stream (RFC 9113, section 5.1.2), as servers usually do. Therefore the library receives the
/// limit under an identifier that it does not know. This helper replaces the identifier in the outgoing frame with
/// that of SETTINGS_MAX_CONCURRENT_STREAMS. ``ServerCore`` enforces the limit.
struct StreamLimitAnnouncement {
    /// An identifier that no setting is expected to have. draft-bishop-httpbis-grease (section 2.2) reserves all
    /// identifiers of the form 0x?a?a.
    private static let placeholder = 0x0a0a
    private static let frameHeaderLength = 9, entryLength = 6

    /// The number of submitted SETTINGS frames that are not in the library's output yet.
    private var unsent = 0

    mutating func entries(for settings: HTTP2Settings) -> [nghttp2_settings_entry] {
        unsent += 1
        return settings.nativeEntries.map { entry in
            guard entry.settings_id == Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue) else { return entry }
            return nghttp2_settings_entry(settings_id: Int32(Self.placeholder), value: entry.value)
        }
    }

    /// Returns the bytes to send instead of a piece of output, or `nil` to send the piece itself. Only SETTINGS frames
    /// are replaced.
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

    /// Returns whether a piece of output is exactly one SETTINGS frame of this server. The library outputs each frame
    /// separately.
    private static func isSettings(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count >= frameHeaderLength else { return false }
        let length = Int(piece[0]) << 16 | Int(piece[1]) << 8 | Int(piece[2])
        return piece[3] == UInt8(NGHTTP2_SETTINGS.rawValue)
            && piece[4] & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0
            && piece[5...8].allSatisfy { $0 == 0 } && piece.count == frameHeaderLength + length
            && length.isMultiple(of: entryLength)
    }
}
