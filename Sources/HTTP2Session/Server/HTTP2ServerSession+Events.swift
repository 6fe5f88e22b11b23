internal import CNGHTTP2

/// What the library's callbacks mean to a server.
extension HTTP2ServerSession {
    func headersBegan(_ frame: UnsafePointer<nghttp2_frame>) {
        core.headersBegan()
        guard frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return }
        let stream = frame.pointee.hd.stream_id
        var tag = 0
        core.noteUse()
        tell { tag = $0.requestStarted(streamID: stream) }
        let index = core.streams.insert(StreamRecord(tag: tag))
        nghttp2_session_set_stream_user_data(core.native, stream, SessionCore.pointer(index))
    }

    func fieldReceived(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard core.admitField(nameLength: name.count, valueLength: value.count),
            let index = core.record(of: stream)
        else { return }
        tell { $0.requestField(tag: core.streams[index].pointee.tag, name: name, value: value) }
    }

    func dataReceived(stream: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let index = core.record(of: stream) else { return }
        core.noteUse()
        tell { $0.requestData(tag: core.streams[index].pointee.tag, bytes) }
    }

    func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) {
        switch frame.type {
        case NGHTTP2_HEADERS, NGHTTP2_DATA:
            guard frame.hasFlag(NGHTTP2_FLAG_END_STREAM), core.failure == nil,
                let index = core.record(of: frame.pointee.hd.stream_id)
            else { return }
            tell {
                $0.requestEnded(
                    tag: core.streams[index].pointee.tag, streamID: frame.pointee.hd.stream_id)
            }
        case NGHTTP2_SETTINGS where frame.hasFlag(NGHTTP2_FLAG_ACK):
            tell { $0.settingsAcknowledged() }
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

    func streamClosed(stream: Int32, code: UInt32) {
        guard let index = core.record(of: stream) else { return }
        let tag = core.streams[index].pointee.tag
        core.closeRecord(index)
        tell { $0.streamClosed(tag: tag, streamID: stream, code: HTTP2ErrorCode(rawValue: code)) }
    }
}
