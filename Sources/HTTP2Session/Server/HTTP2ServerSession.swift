internal import CNGHTTP2

/// The server's end of an HTTP/2 connection (RFC 9113), based on nghttp2 and without a socket. It has a single owner
/// and is not thread-safe.
public final class HTTP2ServerSession: HTTP2Endpoint {
    /// The delegate, which is retained. Set it to `nil`, or call ``detachDelegate()``, when the connection is over.
    public var delegate: (any HTTP2ServerDelegate)? {
        get { core.listener.delegate }
        set { core.listener.delegate = newValue }
    }
    private let core: ServerCore
    // Exclusivity checks are off, because they would slow down this hot path.
    @exclusivity(unchecked) private var announcement = StreamLimitAnnouncement()

    /// Creates a session and queues the first SETTINGS.
    ///
    /// - Parameter grantsWindowByHand: Whether WINDOW_UPDATE for received body bytes is sent only after
    ///   ``consume(_:stream:)``.
    public init(
        settings: HTTP2Settings = HTTP2Settings(), grantsWindowByHand: Bool = false,
        delegate: (any HTTP2ServerDelegate)? = nil
    ) throws(HTTP2Error) {
        core = try ServerCore(settings, grantsWindowByHand: grantsWindowByHand)
        self.delegate = delegate
        try changeSettings(settings)
    }

    // MARK: Responses

    /// Answers a request. `fields` (including `:status`) and `body` are retained, not copied, until the stream closes.
    ///
    /// - Parameter append: A function that adds the fields that are specific to this response.
    /// - Throws: ``HTTP2Error`` of kind `unknownStream` if the client has cancelled the request.
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
            throw HTTP2Error(.misuse, "stream \(stream) was already answered")
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

    /// Announces changed settings. A changed stream limit applies at once.
    /// ``HTTP2ServerDelegate/settingsAcknowledged()`` reports when the other settings are in force.
    public func changeSettings(_ settings: HTTP2Settings) throws(HTTP2Error) {
        try core.submitSettings(announcement.entries(for: settings))
        if let limit = settings.maxConcurrentStreams { core.streamLimit = Int(limit) }
    }

    /// Extends the client's flow-control window by `count` received body bytes, on the stream and the connection. Call
    /// this only for sessions that were created with `grantsWindowByHand`.
    public func consume(_ count: Int, stream: Int32) throws(HTTP2Error) {
        try core.check(nghttp2_session_consume(core.native, stream, count), "granting window to stream \(stream)")
    }

    /// Sends the first of two GOAWAY frames (RFC 9113, section 6.8). It announces that the connection will close.
    /// Requests that the client sends before it receives the frame are still processed.
    public func announceGoAway() throws(HTTP2Error) {
        try core.check(nghttp2_submit_shutdown_notice(core.native), "announcing GOAWAY")
    }

    /// Sends GOAWAY. Streams above `lastStreamID` close with `refusedStream`. Lower streams may still be answered.
    ///
    /// - Parameter lastStreamID: The last stream of the client (odd) that may be answered, or 0 for none. It must not
    ///   exceed the last stream of an earlier GOAWAY.
    public func goAway(
        lastStreamID: Int32, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = []
    ) throws(HTTP2Error) {
        try core.goAway(lastStreamID: lastStreamID, code: code, debugData: debugData)
    }

    public func ping(_ payload: UInt64) throws(HTTP2Error) {
        try core.ping(payload)
    }

    /// The identifier of the highest stream on which a request was received.
    public var lastStreamID: Int32 {
        nghttp2_session_get_last_proc_stream_id(core.native)
    }

    /// The identifier of the stream whose field list has begun but not ended, or 0 if there is none. Until the list
    /// ends, no other frame can arrive.
    public var unfinishedHeaders: Int32 {
        core.unfinishedHeaders
    }

    /// The number of requests that have begun and are not closed.
    public var openStreams: Int {
        core.streams.count
    }

    /// The number of streams that fit into the allocated memory, for tests that check that memory is reused.
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
