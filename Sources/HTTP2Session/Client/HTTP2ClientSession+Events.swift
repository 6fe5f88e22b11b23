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
        guard record.pointee.responsePhase != .over else { return }
        if record.pointee.responsePhase == .fields {
            record.pointee.responsePhase = .body
        }
        guard frame.hasFlag(NGHTTP2_FLAG_END_STREAM) else { return }
        if let body = record.pointee.body, record.pointee.bodyOffset < body.count {
            // Answered before all of the request was sent (RFC 9113, section 8.1): the rest is of no use, and a
            // server that grants no more window would keep the stream open for ever.
            nghttp2_submit_rst_stream(
                core.native, UInt8(NGHTTP2_FLAG_NONE.rawValue), frame.pointee.hd.stream_id,
                HTTP2ErrorCode.cancel.rawValue)
        }
        tell { $0.responseEnded(tag: record.pointee.tag) }
    }

    /// False: the response is not one, and its stream is to be reset.
    func fieldReceived(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard core.admitField(nameLength: name.count, valueLength: value.count),
            let index = core.record(of: stream)
        else { return true }
        let record = core.streams[index]
        switch record.pointee.responsePhase {
        case .fields:
            tell { $0.responseField(tag: record.pointee.tag, name: name, value: value) }
        case .awaitingStatus, .informational:
            // The only pseudo-header a response may have (RFC 9113, section 8.3.2), as the library checks.
            guard name.first == UInt8(ascii: ":") else { return true }
            // Three digits, as the library checks; that the first is not 0 it does not (RFC 9110, section 15).
            let status = value.reduce(0) { $0 * 10 + Int($1) - 0x30 }
            guard status >= 100 else { return false }
            guard status >= 200 else {
                record.pointee.responsePhase = .informational
                return true
            }
            record.pointee.responsePhase = .fields
            core.noteUse()
            tell { $0.responseStarted(tag: record.pointee.tag, status: status) }
        case .body, .over:
            break
        }
        return true
    }

    func dataReceived(stream: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let index = core.record(of: stream) else { return }
        let record = core.streams[index]
        guard record.pointee.responsePhase != .over else { return }
        core.noteUse()
        tell { $0.responseData(tag: record.pointee.tag, bytes) }
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
