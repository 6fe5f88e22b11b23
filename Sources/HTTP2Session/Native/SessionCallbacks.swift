internal import CNGHTTP2

/// The library's callbacks. Each callback finds the ``SessionCore`` of its session and passes Swift values to it.
enum SessionCallbacks {
    static func install(in callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            guard let frame, let context else { return 0 }
            context.core._withUnsafeGuaranteedRef { $0.frameReceived(frame) }
            return 0
        }
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, context in
            guard let header, let context else { return 0 }
            context.core._withUnsafeGuaranteedRef { $0.frameBegan(header.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            guard let frame, let context else { return 0 }
            context.core._withUnsafeGuaranteedRef { $0.headersBegan(frame) }
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, context in
            guard let frame, let context else { return 0 }
            return context.core._withUnsafeGuaranteedRef {
                let isGood = $0.fieldReceived(
                    frame,
                    name: UnsafeRawBufferPointer(start: name, count: nameLength),
                    value: UnsafeRawBufferPointer(start: value, count: valueLength))
                // After a failure, the library resets the stream.
                return isGood ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
            }
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, stream, bytes, count, context in
            guard let context else { return 0 }
            context.core._withUnsafeGuaranteedRef {
                $0.dataReceived(stream: stream, UnsafeRawBufferPointer(start: bytes, count: count))
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
            guard let context else { return 0 }
            context.core._withUnsafeGuaranteedRef { $0.streamClosed(stream: stream, code: code) }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
            guard let frame, let context else { return 0 }
            switch frame.type {
            case NGHTTP2_GOAWAY: context.core._withUnsafeGuaranteedRef { $0.goAwaySent(frame) }
            case NGHTTP2_RST_STREAM: context.core._withUnsafeGuaranteedRef { $0.resetSent(frame) }
            default: break
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, context in
            guard let frame, let context else { return 0 }
            context.core._withUnsafeGuaranteedRef { $0.frameRefused(frame, code: code) }
            return 0
        }
        nghttp2_session_callbacks_set_error_callback2(callbacks) { _, _, text, length, context in
            guard let text, let context else { return 0 }
            context.core._withUnsafeGuaranteedRef { $0.complained(UnsafeRawBufferPointer(start: text, count: length)) }
            return 0
        }
    }

    static let readBody: nghttp2_data_source_read_callback = { _, _, target, length, flags, source, context in
        guard let target, let flags, let record = source?.pointee.ptr, let context else { return 0 }
        return context.core._withUnsafeGuaranteedRef {
            let (copied, ended) = $0.readBody(SessionCore.index(record), into: target, atMost: length)
            if ended {
                flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            }
            return copied
        }
    }
}

extension UnsafeMutableRawPointer {
    fileprivate var core: Unmanaged<SessionCore> {
        .fromOpaque(self)
    }
}
