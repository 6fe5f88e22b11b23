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

    /// What was wrong with a received frame.
    func diagnosis(_ code: Int32) -> String {
        "frame of type \(pointee.hd.type) on stream \(pointee.hd.stream_id): \(String(cString: nghttp2_strerror(code)))"
    }

    func reportGoAwaySent(to core: SessionCore) {
        let goAway = pointee.goaway
        core.goAwaySent(
            code: goAway.error_code,
            debugData: UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len))
    }
}
