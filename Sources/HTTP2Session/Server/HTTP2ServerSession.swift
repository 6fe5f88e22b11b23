internal import CNGHTTP2

/// The server's end of an HTTP/2 connection (RFC 9113) on nghttp2: bytes in, bytes out. Single owner, not
/// thread-safe.
public final class HTTP2ServerSession: HTTP2Endpoint {
    /// Held strongly: set it to nil, or call ``detachDelegate()``, when the connection is over.
    public var delegate: (any HTTP2ServerDelegate)? {
        get { core.listener.delegate }
        set { core.listener.delegate = newValue }
    }
    private let core: ServerCore
    // One owner, one thread: nothing for exclusivity checks to find on the hot path.
    @exclusivity(unchecked) private var announcement = StreamLimitAnnouncement()

    /// - Parameter grantsWindowByHand: true: no WINDOW_UPDATE is sent for received body bytes until
    ///   ``consume(_:stream:)`` says so.
    public init(
        settings: HTTP2Settings = HTTP2Settings(), grantsWindowByHand: Bool = false,
        delegate: (any HTTP2ServerDelegate)? = nil
    ) throws(HTTP2Error) {
        core = try ServerCore(settings, grantsWindowByHand: grantsWindowByHand)
        self.delegate = delegate
        try changeSettings(settings)
    }

    // MARK: Responses

    /// Answers a request. `fields` (with `:status` among them) and `body` are kept, not copied, until the
    /// stream closes.
    ///
    /// - Parameter append: adds what differs from one response to the next.
    /// - Throws: ``HTTP2Error`` of kind `unknownStream` when the client has given the request up.
    public func respond(
        to stream: Int32, fields: HTTP2Fields, body: HTTP2Body? = nil, append: (HTTP2FieldAppender) -> Void = { _ in }
    ) throws(HTTP2Error) {
        guard let index = core.record(of: stream) else {
            throw HTTP2Error(.unknownStream, "stream \(stream) is not open")
        }
        core.scratch.removeAll()
        core.scratch.append(fields, from: 0, to: fields.count)
        append(HTTP2FieldAppender(core: core))

        let record = core.streams[index]
        guard record.pointee.fields == nil else {
            throw HTTP2Error(.misuse, "stream \(stream) has been answered already")
        }
        record.pointee.fields = fields
        record.pointee.body = body
        core.unsentBodyBytes += record.pointee.unsentBytes
        var provider = nghttp2_data_provider()
        provider.source.ptr = SessionCore.pointer(index)
        provider.read_callback = SessionCallbacks.readBody
        let hasBody = (body?.count ?? 0) > 0
        let result = withUnsafePointer(to: &provider) { provider in
            nghttp2_submit_response(
                core.native, stream, core.scratch.fields, core.scratch.count, hasBody ? provider : nil)
        }
        try core.check(result, "answering stream \(stream)")
    }

    public func reset(_ stream: Int32, code: HTTP2ErrorCode) throws(HTTP2Error) {
        try core.reset(stream, code)
    }

    // MARK: Connection

    /// Announces new values; ``HTTP2ServerDelegate/settingsAcknowledged()`` tells when they are in force.
    public func changeSettings(_ settings: HTTP2Settings) throws(HTTP2Error) {
        try core.submitSettings(announcement.entries(for: settings))
        if let limit = settings.maxConcurrentStreams { core.streamLimit = Int(limit) }
    }

    /// Gives the client window for body bytes that have been received, on the stream and the connection.
    /// Only for sessions that grant window by hand.
    public func consume(_ count: Int, stream: Int32) throws(HTTP2Error) {
        try core.check(nghttp2_session_consume(core.native, stream, count), "granting window to stream \(stream)")
    }

    /// The first of two GOAWAY frames (RFC 9113, section 6.8): announces that the connection will close,
    /// while requests under way still arrive.
    public func announceGoAway() throws(HTTP2Error) {
        try core.check(nghttp2_submit_shutdown_notice(core.native), "announcing GOAWAY")
    }

    /// Sends GOAWAY. Streams above `lastStreamID` close with `refusedStream`; those up to it may still be
    /// answered.
    ///
    /// - Parameter lastStreamID: a client's stream (odd), or 0 for none; not above that of an earlier GOAWAY.
    public func goAway(
        lastStreamID: Int32, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = []
    ) throws(HTTP2Error) {
        try core.goAway(lastStreamID: lastStreamID, code: code, debugData: debugData)
    }

    public func ping(_ payload: UInt64) throws(HTTP2Error) {
        try core.ping(payload)
    }

    /// The highest stream on which a request has been received.
    public var lastStreamID: Int32 {
        nghttp2_session_get_last_proc_stream_id(core.native)
    }

    /// The stream whose field list has begun and not ended; 0: none. Nothing else can arrive meanwhile.
    public var unfinishedHeaders: Int32 {
        core.unfinishedHeaders
    }

    /// Requests begun and not yet closed.
    public var openStreams: Int {
        core.streams.count
    }

    /// Streams there is memory for, to test that it is used again.
    package var recordCapacity: Int {
        core.streams.capacity
    }

    // MARK: Bytes

    public func detachDelegate() {
        delegate = nil
    }

    public var wantsRead: Bool { core.wantsRead }
    public var wantsWrite: Bool { core.wantsWrite }

    public func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try core.listener.keepingAlive { () throws(HTTP2Error) in try core.receive(bytes) }
    }

    public func collectOutput(limit: Int = .max, _ body: (UnsafeRawBufferPointer) -> Void) throws(HTTP2Error) {
        try core.listener.keepingAlive { () throws(HTTP2Error) in
            try core.collectOutput(limit: limit) { piece in
                guard let replacement = announcement.replacement(for: piece) else { return body(piece) }
                replacement.withUnsafeBytes { body($0) }
            }
        }
        core.outputCollected()
    }
}
