internal import CNGHTTP2

/// What the library's callbacks mean to a server.
final class ServerCore: SessionCore {
    let listener = DelegateHolder<any HTTP2ServerDelegate>()
    /// Streams the client may have open: the limit announced last, whether it knows of it or not.
    var streamLimit = Int.max
    /// The stream whose field list has begun and not ended; 0: none. Nothing else can arrive meanwhile.
    // One owner, one thread: nothing for exclusivity checks to find on the hot path.
    @exclusivity(unchecked) private(set) var unfinishedHeaders: Int32 = 0
    /// Streams told of as malformed whose reset has not left yet, so that none is told of twice.
    private var malformedStreams: Set<Int32> = []

    /// Streams a client may cancel at once, and then in a second.
    private static let cancellations: UInt64 = 1_000_000

    init(_ settings: HTTP2Settings, grantsWindowByHand: Bool) throws(HTTP2Error) {
        try super.init(settings) { options in
            nghttp2_option_set_no_auto_window_update(options, grantsWindowByHand ? 1 : 0)
            // Closed streams are otherwise kept for the sake of priorities, which nobody here uses.
            nghttp2_option_set_no_closed_streams(options, 1)
            // By default the library takes a client that cancels 1,000 streams for an attacker.
            limit_stream_resets(options, Self.cancellations, Self.cancellations)
        } new: { native, callbacks, options in
            nghttp2_session_server_new2(&native, callbacks, nil, options)
        }
    }

    override func frameBegan(_ header: nghttp2_frame_hd) {
        super.frameBegan(header)
        // Only CONTINUATION comes within a field list.
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
        listener.tell { tag = $0.requestStarted(streamID: stream) }
        let index = streams.insert(StreamRecord(tag: tag))
        nghttp2_session_set_stream_user_data(native, stream, SessionCore.pointer(index))
    }

    private func refuse(_ stream: Int32) {
        guard admitRefusal() else { return }
        // Fails only for want of memory or of a connection, and then there is nothing to refuse any more.
        nghttp2_submit_rst_stream(
            native, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, HTTP2ErrorCode.refusedStream.rawValue)
        listener.tell { $0.requestRefused(streamID: stream) }
    }

    override func fieldReceived(
        _ frame: UnsafePointer<nghttp2_frame>, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) -> Bool {
        guard admitField(nameLength: name.count, valueLength: value.count),
            let index = record(of: frame.pointee.hd.stream_id)
        else { return true }
        let tag = streams[index].pointee.tag
        if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
            listener.tell { $0.requestField(tag: tag, name: name, value: value) }
        } else {
            listener.tell { $0.requestTrailer(tag: tag, name: name, value: value) }
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
        listener.tell { $0.requestMalformed(streamID: stream, problem: rule ?? frame.diagnosis(code)) }
    }

    /// Some faults, such as a body that is not as long as it said, the library tells the client and nobody else.
    override func resetSent(_ frame: UnsafePointer<nghttp2_frame>) {
        let stream = frame.pointee.hd.stream_id
        let code = HTTP2ErrorCode(rawValue: frame.pointee.rst_stream.error_code)
        guard malformedStreams.remove(stream) == nil, code == .protocolError else { return }
        listener.tell { $0.requestMalformed(streamID: stream, problem: "stream \(stream): not a well-formed message") }
    }

    override func dataReceived(stream: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let index = record(of: stream) else { return }
        noteUse()
        listener.tell { $0.requestData(tag: streams[index].pointee.tag, bytes) }
    }

    override func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) {
        switch frame.type {
        case NGHTTP2_HEADERS, NGHTTP2_DATA:
            // A whole field list, or a frame that could not have come within one.
            unfinishedHeaders = 0
            guard frame.hasFlag(NGHTTP2_FLAG_END_STREAM), failure == nil,
                let index = record(of: frame.pointee.hd.stream_id)
            else { return }
            listener.tell {
                $0.requestEnded(
                    tag: streams[index].pointee.tag, streamID: frame.pointee.hd.stream_id)
            }
        case NGHTTP2_SETTINGS where frame.hasFlag(NGHTTP2_FLAG_ACK):
            listener.tell { $0.settingsAcknowledged() }
        case NGHTTP2_PING where frame.hasFlag(NGHTTP2_FLAG_ACK):
            listener.tell { $0.pingAcknowledged(frame.pingPayload) }
        case NGHTTP2_PING:
            listener.tell { $0.pingReceived() }
        case NGHTTP2_GOAWAY:
            let goAway = frame.goAway
            listener.tell {
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
        listener.tell { $0.streamClosed(tag: tag, streamID: stream, code: HTTP2ErrorCode(rawValue: code)) }
    }

    /// What the library says of a field, without the field's value and without what a terminal would obey.
    override func complained(_ text: UnsafeRawBufferPointer) {
        let text = String(decoding: text.map { 0x20...0x7e ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        noteDiagnosis(text.firstRange(of: ", value: [").map { String(text[..<$0.lowerBound]) } ?? text)
    }

    /// Resets have left.
    func outputCollected() {
        if !malformedStreams.isEmpty, !wantsWrite { malformedStreams = [] }
    }
}
