internal import CNGHTTP2

/// What the library's callbacks mean to a client.
extension HTTP2ClientSession {
    func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) {
        switch frame.type {
        case NGHTTP2_HEADERS, NGHTTP2_DATA:
            messagePartReceived(frame)
        case NGHTTP2_SETTINGS where !frame.hasFlag(NGHTTP2_FLAG_ACK):
            peerSettingsArrived()
        case NGHTTP2_PING where frame.hasFlag(NGHTTP2_FLAG_ACK):
            tell { $0.pingAcknowledged(frame.pingPayload) }
        case NGHTTP2_GOAWAY:
            let goAway = frame.pointee.goaway
            tell {
                $0.goAwayReceived(
                    lastStreamID: goAway.last_stream_id, code: HTTP2ErrorCode(rawValue: goAway.error_code),
                    debugData: UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len))
            }
        default:
            break
        }
    }

    private func messagePartReceived(_ frame: UnsafePointer<nghttp2_frame>) {
        guard let index = core.record(of: frame.pointee.hd.stream_id) else { return }
        let record = core.streams[index]
        if record.pointee.responsePhase == .fields {
            record.pointee.responsePhase = .body
        }
        if frame.hasFlag(NGHTTP2_FLAG_END_STREAM) {
            tell { $0.responseEnded(tag: record.pointee.tag) }
        }
    }

    func fieldReceived(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard core.admitField(nameLength: name.count, valueLength: value.count),
            let index = core.record(of: stream)
        else { return }
        let record = core.streams[index]
        switch record.pointee.responsePhase {
        case .fields:
            tell { $0.responseField(tag: record.pointee.tag, name: name, value: value) }
        case .awaitingStatus, .informational:
            // The only pseudo-header a response may have (RFC 9113, section 8.3.2), as the library checks.
            guard name.first == UInt8(ascii: ":") else { return }
            let status = value.reduce(0) { $0 * 10 + Int($1) - 0x30 }
            guard status >= 200 else {
                record.pointee.responsePhase = .informational
                return
            }
            record.pointee.responsePhase = .fields
            tell { $0.responseStarted(tag: record.pointee.tag, status: status) }
        case .body:
            break
        }
    }

    func dataReceived(stream: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let index = core.record(of: stream) else { return }
        tell { $0.responseData(tag: core.streams[index].pointee.tag, bytes) }
    }

    func streamClosed(stream: Int32, code: UInt32) {
        guard let index = core.record(of: stream) else { return }
        // Told first, so that the delegate can still ask how much of the request had left.
        tell {
            $0.streamClosed(
                tag: core.streams[index].pointee.tag, streamID: stream, code: HTTP2ErrorCode(rawValue: code))
        }
        bodyGivenUp(index)
        core.closeRecord(index)
    }
}
