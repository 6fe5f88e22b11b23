internal import CNGHTTP2

/// The part of a server session that handles the library's callbacks.
final class ServerCore: SessionCore {
    let listener = DelegateHolder<any HTTP2ServerDelegate>()
    /// The number of streams that the client may have open. It is the last announced limit, even if the client has not
    /// received it yet.
    var streamLimit = Int.max
    /// The identifier of the stream whose field list has begun but not ended, or 0 if there is none. Until the list
    /// ends, no other frame can arrive.
    // Exclusivity checks are off, because they would slow down this hot path.
    @exclusivity(unchecked) private(set) var unfinishedHeaders: Int32 = 0
    /// The streams that were reported as malformed and whose reset has not been sent yet. The set prevents a second
    /// report.
    private var malformedStreams: Set<Int32> = []

    /// The number of streams that a client may cancel in a burst, and also the number that it may cancel per second
    /// afterwards.
    private static let cancellations: UInt64 = 1_000_000

    init(_ settings: HTTP2Settings, grantsWindowByHand: Bool) throws(HTTP2Error) {
        try super.init(settings) { options in
            nghttp2_option_set_no_auto_window_update(options, grantsWindowByHand ? 1 : 0)
            // Unless this is set, the library keeps closed streams for priorities, which are not used here.
            nghttp2_option_set_no_closed_streams(options, 1)
            // Unless the limit is raised, the library treats a client that cancels 1,000 streams as an attacker.
            limit_stream_resets(options, Self.cancellations, Self.cancellations)
        } new: { native, callbacks, options in
            nghttp2_session_server_new2(&native, callbacks, nil, options)
        }
    }

    override func frameBegan(_ header: nghttp2_frame_hd) {
        super.frameBegan(header)
        // Only CONTINUATION frames are allowed within a field list.
        if UInt32(header.type) != NGHTTP2_CONTINUATION.rawValue { unfinishedHeaders = 0 }
    }

    override func headersBegan(_ frame: UnsafePointer<nghttp2_frame>) {
        super.headersBegan(frame)
        let stream = frame.pointee.hd.stream_id
        unfinishedHeaders = stream
        guard frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return }
        guard streams.count < streamLimit else { return refuse(stream) }
        var tag = 0
        noteUse()
        listener.notify { tag = $0.requestStarted(streamID: stream) }
        let index = streams.insert(StreamRecord(tag: tag))
        nghttp2_session_set_stream_user_data(native, stream, SessionCore.pointer(index))
    }

    private func refuse(_ stream: Int32) {
        guard admitRefusal() else { return }
        // The result is ignored. The call fails only if memory is short, or if the connection is gone and there is
        // nothing to refuse.
        nghttp2_submit_rst_stream(
            native, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, HTTP2ErrorCode.refusedStream.rawValue)
        listener.notify { $0.requestRefused(streamID: stream) }
    }

    override func fieldReceived(
        _ frame: UnsafePointer<nghttp2_frame>, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) -> Bool {
        guard admitField(nameLength: name.count, valueLength: value.count),
            let index = record(of: frame.pointee.hd.stream_id)
        else { return true }
        let tag = streams[index].pointee.tag
        if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
            listener.notify { $0.requestField(tag: tag, name: name, value: value) }
        } else {
            listener.notify { $0.requestTrailer(tag: tag, name: name, value: value) }
        }
        return true
    }

    override func frameRefused(_ frame: UnsafePointer<nghttp2_frame>, code: Int32) {
        let rule = diagnosis
        super.frameRefused(frame, code: code)
        let stream = frame.pointee.hd.stream_id
        if stream == unfinishedHeaders { unfinishedHeaders = 0 }
        guard stream != 0, record(of: stream) != nil || frame.type == NGHTTP2_HEADERS, admitRefusal(),
            malformedStreams.insert(stream).inserted
        else { return }
        listener.notify { $0.requestMalformed(streamID: stream, problem: rule ?? frame.diagnosis(code)) }
    }

    /// Reports a malformed request whose stream the library resets without a call of ``frameRefused(_:code:)``. An
    /// example is a body whose length differs from its declared length.
    override func resetSent(_ frame: UnsafePointer<nghttp2_frame>) {
        let stream = frame.pointee.hd.stream_id
        let code = HTTP2ErrorCode(rawValue: frame.pointee.rst_stream.error_code)
        guard malformedStreams.remove(stream) == nil, code == .protocolError else { return }
        listener.notify {
            $0.requestMalformed(streamID: stream, problem: "stream \(stream): not a well-formed message")
        }
    }

    override func dataReceived(stream: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let index = record(of: stream) else { return }
        noteUse()
        listener.notify { $0.requestData(tag: streams[index].pointee.tag, bytes) }
    }

    override func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) {
        switch frame.type {
        case NGHTTP2_HEADERS, NGHTTP2_DATA:
            // The frame is a complete field list, or a DATA frame, which cannot occur within a field list.
            unfinishedHeaders = 0
            guard frame.hasFlag(NGHTTP2_FLAG_END_STREAM), failure == nil,
                let index = record(of: frame.pointee.hd.stream_id)
            else { return }
            listener.notify {
                $0.requestEnded(
                    tag: streams[index].pointee.tag, streamID: frame.pointee.hd.stream_id)
            }
        case NGHTTP2_SETTINGS where frame.hasFlag(NGHTTP2_FLAG_ACK):
            listener.notify { $0.settingsAcknowledged() }
        case NGHTTP2_PING where frame.hasFlag(NGHTTP2_FLAG_ACK):
            listener.notify { $0.pingAcknowledged(frame.pingPayload) }
        case NGHTTP2_PING:
            listener.notify { $0.pingReceived() }
        case NGHTTP2_GOAWAY:
            let goAway = frame.goAway
            listener.notify {
                $0.goAwayReceived(lastStreamID: goAway.lastStreamID, code: goAway.code, debugData: goAway.debugData)
            }
        default:
            break
        }
    }

    override func streamClosed(stream: Int32, code: UInt32) {
        guard let index = record(of: stream) else { return }
        let tag = streams[index].pointee.tag
        closeRecord(index)
        listener.notify { $0.streamClosed(tag: tag, streamID: stream, code: HTTP2ErrorCode(rawValue: code)) }
    }

    /// Clears ``malformedStreams`` after all resets were sent.
    func outputCollected() {
        if !malformedStreams.isEmpty, !wantsWrite { malformedStreams = [] }
    }
}
