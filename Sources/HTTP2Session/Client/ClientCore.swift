internal import CNGHTTP2

/// The part of a client session that handles the library's callbacks.
final class ClientCore: SessionCore {
    let listener = DelegateHolder<any HTTP2ClientDelegate>()
    private(set) var hasPeerSettings = false

    init(_ settings: HTTP2Settings) throws(HTTP2Error) {
        try super.init(settings) { options in
            // The stream limit is unknown until the server's SETTINGS arrive. Some servers allow only
            // one stream at first.
            nghttp2_option_set_peer_max_concurrent_streams(options, 1)
        } new: { native, callbacks, options in
            nghttp2_session_client_new2(&native, callbacks, nil, options)
        }
    }

    override func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) {
        switch frame.type {
        case NGHTTP2_HEADERS, NGHTTP2_DATA:
            messagePartReceived(frame)
        case NGHTTP2_SETTINGS where !frame.hasFlag(NGHTTP2_FLAG_ACK):
            hasPeerSettings = true
            listener.notify { $0.peerSettingsChanged() }
        case NGHTTP2_PING where frame.hasFlag(NGHTTP2_FLAG_ACK):
            listener.notify { $0.pingAcknowledged(frame.pingPayload) }
        case NGHTTP2_GOAWAY:
            let goAway = frame.goAway
            listener.notify {
                $0.goAwayReceived(lastStreamID: goAway.lastStreamID, code: goAway.code, debugData: goAway.debugData)
            }
        default:
            break
        }
    }

    private func messagePartReceived(_ frame: UnsafePointer<nghttp2_frame>) {
        guard let index = record(of: frame.pointee.hd.stream_id) else { return }
        let record = streams[index]
        guard record.pointee.responsePhase != .over else { return }
        if record.pointee.responsePhase == .fields {
            record.pointee.responsePhase = .body
        }
        guard frame.hasFlag(NGHTTP2_FLAG_END_STREAM) else { return }
        if let body = record.pointee.body, record.pointee.bodyOffset < body.count {
            // The server answered before the whole request was sent (RFC 9113, section 8.1). The server needs no more
            // of the request. Without the reset, the stream would stay open forever if the server granted no more
            // window.
            nghttp2_submit_rst_stream(
                native, UInt8(NGHTTP2_FLAG_NONE.rawValue), frame.pointee.hd.stream_id,
                HTTP2ErrorCode.cancel.rawValue)
        }
        listener.notify { $0.responseEnded(tag: record.pointee.tag) }
    }

    override func fieldReceived(
        _ frame: UnsafePointer<nghttp2_frame>, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) -> Bool {
        guard admitField(nameLength: name.count, valueLength: value.count),
            let index = record(of: frame.pointee.hd.stream_id)
        else { return true }
        let record = streams[index]
        switch record.pointee.responsePhase {
        case .fields:
            listener.notify { $0.responseField(tag: record.pointee.tag, name: name, value: value) }
        case .awaitingStatus, .informational:
            // `:status` is the only pseudo-header field that a response may have (RFC 9113, section 8.3.2). The library
            // checks this.
            guard name.first == UInt8(ascii: ":") else { return true }
            // The library checks for three digits, but allows a leading 0 (RFC 9110, section 15).
            let status = value.reduce(0) { $0 * 10 + Int($1) - 0x30 }
            guard status >= 100 else { return false }
            guard status >= 200 else {
                record.pointee.responsePhase = .informational
                return true
            }
            record.pointee.responsePhase = .fields
            noteUse()
            listener.notify { $0.responseStarted(tag: record.pointee.tag, status: status) }
        case .body, .over:
            break
        }
        return true
    }

    override func dataReceived(stream: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let index = record(of: stream) else { return }
        let record = streams[index]
        guard record.pointee.responsePhase != .over else { return }
        noteUse()
        listener.notify { $0.responseData(tag: record.pointee.tag, bytes) }
    }

    override func streamClosed(stream: Int32, code: UInt32) {
        guard let index = record(of: stream) else { return }
        // The delegate is called before the record is closed, so that it can still ask how much of the request was
        // sent.
        listener.notify {
            $0.streamClosed(
                tag: streams[index].pointee.tag, streamID: stream, code: HTTP2ErrorCode(rawValue: code))
        }
        closeRecord(index)
    }
}
