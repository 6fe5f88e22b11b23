internal import CNGHTTP2

/// The client end of an HTTP/2 connection (RFC 9113). It uses nghttp2 and does no socket I/O itself. It has a single
/// owner and is not thread-safe. Requests beyond the peer's stream limit wait inside the session.
///
/// The session sends no PRIORITY and accepts no server push. Before the peer's first SETTINGS it opens at most one
/// stream.
public final class HTTP2ClientSession: HTTP2Endpoint {
    /// The delegate, which is retained. Set it to `nil`, or call ``detachDelegate()``, when the connection is over.
    public var delegate: (any HTTP2ClientDelegate)? {
        get { core.listener.delegate }
        set { core.listener.delegate = newValue }
    }
    private let core: ClientCore

    public init(
        settings: HTTP2Settings = HTTP2Settings(), delegate: (any HTTP2ClientDelegate)? = nil
    ) throws(HTTP2Error) {
        core = try ClientCore(settings)
        self.delegate = delegate
        let noPush = nghttp2_settings_entry(
            settings_id: Int32(truncatingIfNeeded: NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
        try core.submitSettings([noPush] + settings.nativeEntries)
    }

    // MARK: Requests

    /// Queues a request. Its field list consists of the pseudo-header fields of `connectionFields`, `:path`, the rest
    /// of `connectionFields`, and `requestFields`. All arguments except `path` are retained, not copied, until the
    /// stream closes.
    ///
    /// - Parameter tag: The caller's number for this request. Each delegate call about the request passes it.
    /// - Returns: The stream's identifier.
    /// - Throws: ``HTTP2Error`` of kind `closing` or `streamIDsExhausted` if the request needs another connection.
    @discardableResult
    public func submit(
        connectionFields: HTTP2Fields, path: UnsafeRawBufferPointer, requestFields: HTTP2Fields, body: HTTP2Body,
        tag: Int
    ) throws(HTTP2Error) -> Int32 {
        guard core.failure == nil, nghttp2_session_check_request_allowed(core.native) != 0 else {
            throw nextStreamID > Int32.max
                ? HTTP2Error(.streamIDsExhausted, "all stream identifiers of the connection are used")
                : HTTP2Error(.closing, "the connection accepts no new requests")
        }
        guard requestFields.pseudoCount == 0 else {
            throw HTTP2Error(.misuse, "requestFields has a pseudo-header, which belongs in connectionFields")
        }
        core.scratch.removeAll()
        core.scratch.append(connectionFields, from: 0, to: connectionFields.pseudoCount)
        core.scratch.append(name: ":path", copying: path)
        core.scratch.append(connectionFields, from: connectionFields.pseudoCount, to: connectionFields.count)
        core.scratch.append(requestFields, from: 0, to: requestFields.count)

        let index = core.streams.insert(
            StreamRecord(tag: tag, leadingFields: connectionFields, fields: requestFields, body: body))
        var provider = nghttp2_data_provider()
        provider.source.ptr = SessionCore.pointer(index)
        provider.read_callback = SessionCallbacks.readBody
        let stream = withUnsafePointer(to: &provider) { provider in
            nghttp2_submit_request(
                core.native, nil, core.scratch.fields, core.scratch.count, body.count == 0 ? nil : provider,
                SessionCore.pointer(index))
        }
        guard stream > 0 else {
            core.streams.remove(index)
            throw HTTP2Error(native: Int(stream), doing: "submitting a request")
        }
        core.unsentBodyBytes += body.count
        return stream
    }

    /// Resets a stream. ``HTTP2ClientDelegate/streamClosed(tag:streamID:code:)`` is called when the RST_STREAM frame is
    /// collected.
    public func reset(_ stream: Int32, code: HTTP2ErrorCode = .cancel) throws(HTTP2Error) {
        try core.reset(stream, code)
        // More of the response may arrive until the frame is sent. It must not be reported.
        if let index = core.record(of: stream) { core.streams[index].pointee.responsePhase = .over }
    }

    /// Sends a PING. The acknowledgement passes the payload to ``HTTP2ClientDelegate/pingAcknowledged(_:)``.
    public func ping(_ payload: UInt64) throws(HTTP2Error) {
        try core.ping(payload)
    }

    /// Sends GOAWAY, which announces to the server that this client is about to close the connection.
    public func goAway(code: HTTP2ErrorCode = .noError) throws(HTTP2Error) {
        try core.goAway(lastStreamID: 0, code: code, debugData: [])
    }

    // MARK: Capacity

    /// The number of requests that are submitted and not closed, including those that wait for a free stream.
    public var openStreams: Int {
        core.streams.count
    }

    /// The server's current limit on open streams, or `nil` before its first SETTINGS.
    public var peerMaxConcurrentStreams: Int? {
        core.hasPeerSettings ? core.remoteSetting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS) : nil
    }

    /// The number of bytes in submitted bodies that have not been put into a DATA frame yet.
    public var unsentBodyBytes: Int {
        core.unsentBodyBytes
    }

    /// The number of body bytes that the whole connection may send now (RFC 9113, section 6.9).
    public var connectionSendWindow: Int {
        core.connectionSendWindow
    }

    /// The number of body bytes that each new stream may send before a WINDOW_UPDATE.
    public var peerInitialStreamWindow: Int {
        core.remoteSetting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE)
    }

    /// Returns whether ``collectOutput(limit:_:)`` has passed on the last byte of the request, with END_STREAM.
    /// Otherwise, the server cannot have processed the request. The result is valid only until the stream is closed.
    public func isWritten(_ stream: Int32) -> Bool {
        core.record(of: stream).map { core.streams[$0].pointee.unsentBytes == 0 } ?? false
    }

    /// Whether the session accepts new requests: the peer has sent no GOAWAY, the session has not ended, and stream
    /// identifiers are left.
    public var takesRequests: Bool {
        core.failure == nil && nghttp2_session_check_request_allowed(core.native) != 0
    }

    private var nextStreamID: UInt32 {
        nghttp2_session_get_next_stream_id(core.native)
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
        try core.listener.keepingAlive { () throws(HTTP2Error) in try core.collectOutput(limit: limit, body) }
    }
}
