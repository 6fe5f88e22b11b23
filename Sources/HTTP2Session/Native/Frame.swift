internal import CNGHTTP2

extension UnsafePointer<nghttp2_frame> {
    var type: nghttp2_frame_type {
        nghttp2_frame_type(rawValue: UInt32(pointee.hd.type))
    }

    func hasFlag(_ flag: nghttp2_flag) -> Bool {
        UInt32(pointee.hd.flags) & flag.rawValue != 0
    }

    var pingPayload: UInt64 {
        withUnsafeBytes(of: pointee.ping.opaque_data) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    /// Returns a description of the error in a received frame.
    func diagnosis(_ code: Int32) -> String {
        "\(pointee.hd.place): \(String(cString: nghttp2_strerror(code)))"
    }

    var goAway: (lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        let goAway = pointee.goaway
        return (
            goAway.last_stream_id, HTTP2ErrorCode(rawValue: goAway.error_code),
            UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
        )
    }
}

extension nghttp2_frame_hd {
    /// The frame's description for humans, for example `HEADERS frame on stream 1`.
    var place: String {
        let names = [
            "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
            "CONTINUATION",
        ]
        let name = names.indices.contains(Int(type)) ? names[Int(type)] : "unknown (type \(type))"
        return "\(name) frame on \(stream_id == 0 ? "the connection" : "stream \(stream_id)")"
    }
}
