import HTTP2Channel
import HTTP2Session
import NIOCore
import NIOHTTP1

/// The protocol handler of one connection.
// why: an enumeration instead of a protocol, so that requests need no dynamic dispatch.
enum Wire {
    case http2(HTTP2ChannelHandler<HTTP2ClientSession>)
    case http1(HTTP1ClientHandler)

    /// The maximum size of all header fields of an answer together, in bytes.
    private static let maximumFieldBytes: UInt32 = 16_384

    /// Creates a handler for HTTP/2.
    ///
    /// - Parameter owner: The delegate. The handler retains it until the channel is closed.
    static func http2(for owner: some HTTP1ClientDelegate) throws -> Wire {
        let session = try HTTP2ClientSession(
            settings: HTTP2Settings(maxHeaderListSize: maximumFieldBytes), delegate: owner)
        return .http2(HTTP2ChannelHandler(session: session, observer: owner))
    }

    static func http1(for owner: some HTTP1ClientDelegate) -> Wire { .http1(HTTP1ClientHandler(delegate: owner)) }

    var handlers: [any ChannelHandler] {
        switch self {
        case .http2(let handler): [handler]
        case .http1(let handler): handler.handlers(maximumFieldBytes: Int(Self.maximumFieldBytes))
        }
    }

    // MARK: Requests

    /// Queues a request, which is sent soon after ``flush()``.
    ///
    /// - Returns: The number that identifies the request from now on. With HTTP/2, it is the stream id.
    func submit(_ request: PoolRequest, with fields: HTTP2Fields, tag: Int) throws -> Int32 {
        switch self {
        case .http2(let handler):
            return try handler.session.submit(
                connectionFields: fields, path: request.path, requestFields: request.fields, body: request.body,
                tag: tag)
        case .http1(let handler):
            let head = try HTTPRequestHead(
                connectionFields: fields, path: request.path, requestFields: request.fields,
                bodyBytes: request.body.count)
            return try handler.submit(head, body: request.body, tag: tag)
        }
    }

    func flush() {
        switch self {
        case .http2(let handler): handler.setNeedsFlush()
        case .http1(let handler): handler.flush()
        }
    }

    func cancel(_ stream: Int32) {
        switch self {
        case .http2(let handler): try? handler.session.reset(stream, code: .cancel)
        case .http1(let handler): handler.reset()
        }
    }

    /// Returns whether the server may have begun to process the request. With HTTP/2, this is the case after the whole
    /// request was sent. With HTTP/1.1, it is the case after the request was flushed, because any of its bytes may then
    /// have been sent.
    func mayHaveArrived(_ stream: Int32) -> Bool {
        switch self {
        case .http2(let handler): handler.session.isWritten(stream)
        case .http1(let handler): handler.hasLeft(stream)
        }
    }

    // MARK: Limits

    /// The maximum number of requests at a time, or `nil` before the server's first SETTINGS.
    var maximumStreams: Int? {
        switch self {
        case .http2(let handler): handler.session.peerMaxConcurrentStreams
        case .http1: 1
        }
    }

    func limits(maximumStreams: Int?) -> FlowLimits {
        switch self {
        case .http2(let handler):
            let session = handler.session
            return FlowLimits(
                openStreams: session.openStreams, maximumStreams: maximumStreams,
                sendWindow: session.connectionSendWindow, streamWindow: session.peerInitialStreamWindow,
                unsentBytes: session.unsentBodyBytes)
        case .http1(let handler):
            return FlowLimits(
                openStreams: handler.openRequests, maximumStreams: maximumStreams, sendWindow: .max,
                streamWindow: .max, unsentBytes: 0)
        }
    }

    /// The time for which the server can be expected to keep an idle connection, in milliseconds, or `nil` if there is
    /// no limit.
    var idleMilliseconds: Int64? {
        switch self {
        case .http2: nil
        case .http1(let handler): handler.idleMilliseconds
        }
    }

    // MARK: Signs of life and closing

    var hasPings: Bool {
        switch self {
        case .http2: true
        case .http1: false
        }
    }

    func ping() {
        guard case .http2(let handler) = self else { return }
        try? handler.session.ping(NIODeadline.now().uptimeNanoseconds)
        handler.setNeedsFlush()
    }

    /// Closes the connection. Called when no request is in flight.
    func close() {
        switch self {
        case .http2(let handler):
            try? handler.session.goAway()
            handler.close()
        case .http1(let handler): handler.close()
        }
    }

    /// Stops reporting events to the owner.
    func detach() {
        switch self {
        case .http2(let handler):
            handler.session.detachDelegate()
            handler.observer = nil
        case .http1(let handler): handler.detachDelegate()
        }
    }
}
