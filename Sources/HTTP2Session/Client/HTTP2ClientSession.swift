internal import CNGHTTP2

/// The client's end of an HTTP/2 connection (RFC 9113) on nghttp2: bytes in, bytes out. Single owner, not
/// thread-safe. Requests beyond the peer's stream limit wait inside the session.
///
/// Sends no PRIORITY, takes no server push, and opens one stream at most before the peer's first SETTINGS.
public final class HTTP2ClientSession: HTTP2Endpoint {
    /// Held strongly: set it to nil, or call ``detachDelegate()``, when the connection is over.
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

    /// Queues one request. Its field list is the pseudo-headers of `connectionFields`, `:path`, the rest of
    /// `connectionFields`, `requestFields`; all but `path` is kept, not copied, until the stream closes.
    ///
    /// - Parameter tag: the caller's number for this request, repeated with each of its events.
    /// - Returns: the stream's identifier.
    /// - Throws: ``HTTP2Error`` of kind `closing` or `streamIDsExhausted`: the request needs another connection.
    @discardableResult
    public func submit(
        connectionFields: HTTP2Fields, path: UnsafeRawBufferPointer, requestFields: HTTP2Fields, body: HTTP2Body,
        tag: Int
    ) throws(HTTP2Error) -> Int32 {
        guard core.failure == nil, nghttp2_session_check_request_allowed(core.native) != 0 else {
            throw nextStreamID > Int32.max
                ? HTTP2Error(.streamIDsExhausted, "all stream identifiers of the connection are used")
                : HTTP2Error(.closing, "the connection takes no new requests")
        }
        guard requestFields.pseudoCount == 0 else {
            throw HTTP2Error(.misuse, "requestFields holds a pseudo-header; these belong in connectionFields")
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

    /// Ends a stream at once; its ``HTTP2ClientDelegate/streamClosed(tag:streamID:code:)`` follows when the
    /// frame is collected.
    public func reset(_ stream: Int32, code: HTTP2ErrorCode = .cancel) throws(HTTP2Error) {
        try core.reset(stream, code)
        // Until the frame leaves, more of the response may arrive.
        if let index = core.record(of: stream) { core.streams[index].pointee.responsePhase = .over }
    }

    /// Sends a PING; ``HTTP2ClientDelegate/pingAcknowledged(_:)`` brings the payload back.
    public func ping(_ payload: UInt64) throws(HTTP2Error) {
        try core.ping(payload)
    }

    /// Tells the server that this side is about to close.
    public func goAway(code: HTTP2ErrorCode = .noError) throws(HTTP2Error) {
        try core.goAway(lastStreamID: 0, code: code, debugData: [])
    }

    // MARK: Capacity

    /// Requests submitted and not yet closed, those that still wait for a free stream included.
    public var openStreams: Int {
        core.streams.count
    }

    /// The server's limit for open streams, in force now; nil before its first SETTINGS.
    public var peerMaxConcurrentStreams: Int? {
        core.hasPeerSettings ? core.remoteSetting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS) : nil
    }

    /// Bytes of submitted bodies that no DATA frame has taken yet: what waits for window or for its turn.
    public var unsentBodyBytes: Int {
        core.unsentBodyBytes
    }

    /// Bytes of body the connection as a whole may send now (RFC 9113, section 6.9).
    public var connectionSendWindow: Int {
        core.connectionSendWindow
    }

    /// Bytes of body each new stream may send before a WINDOW_UPDATE.
    public var peerInitialStreamWindow: Int {
        core.remoteSetting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE)
    }

    /// Whether the last byte of the request, with END_STREAM, has been handed out by ``collectOutput(limit:_:)``.
    /// A server can't have taken up a request of which a part was never sent. For streams not yet closed.
    public func isWritten(_ stream: Int32) -> Bool {
        core.record(of: stream).map { core.streams[$0].pointee.unsentBytes == 0 } ?? false
    }

    /// False after the peer's GOAWAY, or when the session has ended or run out of stream identifiers.
    public var takesRequests: Bool {
        core.failure == nil && nghttp2_session_check_request_allowed(core.native) != 0
    }

    private var nextStreamID: UInt32 {
        nghttp2_session_get_next_stream_id(core.native)
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
        try core.listener.keepingAlive { () throws(HTTP2Error) in try core.collectOutput(limit: limit, body) }
    }
}
