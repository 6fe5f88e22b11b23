internal import CNGHTTP2

/// The library's callbacks of server sessions. Each finds its session, hands on Swift values, returns.
enum ServerCallbacks {
    static func install(in callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            guard let frame, let context else { return 0 }
            context.session._withUnsafeGuaranteedRef { $0.frameReceived(frame) }
            return 0
        }
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, context in
            guard let header, let context else { return 0 }
            context.session._withUnsafeGuaranteedRef { $0.frameBegan(header.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            guard let frame, let context else { return 0 }
            context.session._withUnsafeGuaranteedRef { $0.headersBegan(frame) }
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, context in
            guard let frame, let context else { return 0 }
            context.session._withUnsafeGuaranteedRef {
                $0.fieldReceived(
                    frame,
                    name: UnsafeRawBufferPointer(start: name, count: nameLength),
                    value: UnsafeRawBufferPointer(start: value, count: valueLength))
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, stream, bytes, count, context in
            guard let context else { return 0 }
            context.session._withUnsafeGuaranteedRef {
                $0.dataReceived(stream: stream, UnsafeRawBufferPointer(start: bytes, count: count))
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
            guard let context else { return 0 }
            context.session._withUnsafeGuaranteedRef { $0.streamClosed(stream: stream, code: code) }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
            guard let frame, let context else { return 0 }
            switch frame.type {
            case NGHTTP2_GOAWAY: context.session._withUnsafeGuaranteedRef { frame.reportGoAwaySent(to: $0.core) }
            case NGHTTP2_RST_STREAM: context.session._withUnsafeGuaranteedRef { $0.resetSent(frame) }
            default: break
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, context in
            guard let frame, let context else { return 0 }
            context.session._withUnsafeGuaranteedRef { $0.frameRefused(frame, code: code) }
            return 0
        }
        nghttp2_session_callbacks_set_error_callback2(callbacks) { _, _, text, length, context in
            guard let text, let context else { return 0 }
            let message = UnsafeRawBufferPointer(start: text, count: length)
            context.session._withUnsafeGuaranteedRef { $0.core.noteDiagnosis(withoutValue(message)) }
            return 0
        }
    }

    static let readBody: nghttp2_data_source_read_callback = { _, _, target, length, flags, source, context in
        guard let target, let flags, let record = source?.pointee.ptr, let context else { return 0 }
        return context.session._withUnsafeGuaranteedRef {
            let (copied, ended) = $0.core.readBody(SessionCore.index(record), into: target, atMost: length)
            if ended {
                flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            }
            return copied
        }
    }
}

/// What the library says of a field, without the field's value and without what a terminal would obey.
private func withoutValue(_ message: UnsafeRawBufferPointer) -> String {
    let text = String(decoding: message.map { 0x20...0x7e ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    return text.firstRange(of: ", value: [").map { String(text[..<$0.lowerBound]) } ?? text
}

extension UnsafeMutableRawPointer {
    fileprivate var session: Unmanaged<HTTP2ServerSession> {
        .fromOpaque(self)
    }
}
