internal import CNGHTTP2

/// What the library's callbacks mean to a server.
extension HTTP2ServerSession {
    func frameBegan(_ header: nghttp2_frame_hd) {
        core.frameBegan(header)
        // Only CONTINUATION comes within a field list.
        if UInt32(header.type) != NGHTTP2_CONTINUATION.rawValue { unfinishedHeaders = 0 }
    }

    func headersBegan(_ frame: UnsafePointer<nghttp2_frame>) {
        core.headersBegan()
        let stream = frame.pointee.hd.stream_id
        unfinishedHeaders = stream
        guard frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return }
        guard core.streams.count < streamLimit else { return refuse(stream) }
        var tag = 0
        core.noteUse()
        tell { tag = $0.requestStarted(streamID: stream) }
        let index = core.streams.insert(StreamRecord(tag: tag))
        nghttp2_session_set_stream_user_data(core.native, stream, SessionCore.pointer(index))
    }

    private func refuse(_ stream: Int32) {
        guard core.admitRefusal() else { return }
        // Fails only for want of memory or of a connection, and then there is nothing to refuse any more.
        nghttp2_submit_rst_stream(
            core.native, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, HTTP2ErrorCode.refusedStream.rawValue)
        tell { $0.requestRefused(streamID: stream) }
    }

    func fieldReceived(
        _ frame: UnsafePointer<nghttp2_frame>, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) {
        guard core.admitField(nameLength: name.count, valueLength: value.count),
            let index = core.record(of: frame.pointee.hd.stream_id)
        else { return }
        let tag = core.streams[index].pointee.tag
        if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
            tell { $0.requestField(tag: tag, name: name, value: value) }
        } else {
            tell { $0.requestTrailer(tag: tag, name: name, value: value) }
        }
    }

    /// The library resets a stream over what the client did; the reset is still to be sent.
    func frameRefused(_ frame: UnsafePointer<nghttp2_frame>, code: Int32) {
        let rule = core.diagnosis
        core.noteDiagnosis(frame.diagnosis(code))
        let stream = frame.pointee.hd.stream_id
        if stream == unfinishedHeaders { unfinishedHeaders = 0 }
        guard stream != 0, core.record(of: stream) != nil || frame.type == NGHTTP2_HEADERS, core.admitRefusal(),
            malformedStreams.insert(stream).inserted
        else { return }
        tell { $0.requestMalformed(streamID: stream, problem: rule ?? frame.diagnosis(code)) }
    }

    /// Some faults, such as a body that is not as long as it said, the library tells the client and nobody else.
    func resetSent(_ frame: UnsafePointer<nghttp2_frame>) {
        let stream = frame.pointee.hd.stream_id
        let code = HTTP2ErrorCode(rawValue: frame.pointee.rst_stream.error_code)
        guard malformedStreams.remove(stream) == nil, code == .protocolError else { return }
        tell { $0.requestMalformed(streamID: stream, problem: "stream \(stream): not a well-formed message") }
    }

    func dataReceived(stream: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let index = core.record(of: stream) else { return }
        core.noteUse()
        tell { $0.requestData(tag: core.streams[index].pointee.tag, bytes) }
    }

    func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) {
        switch frame.type {
        case NGHTTP2_HEADERS, NGHTTP2_DATA:
            // A whole field list, or a frame that could not have come within one.
            unfinishedHeaders = 0
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
        case NGHTTP2_PING:
            tell { $0.pingReceived() }
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
