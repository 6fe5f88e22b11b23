internal import HTTP2Channel
package import HTTP2Session
internal import NIOCore
internal import NIOSSL

/// A client's connection. The rules use it to answer requests, and it simulates faults on demand. Used only on the
/// connection's event loop.
public final class SimulatorConnection {
    private let loop: SimulatorLoop
    private let channel: any Channel
    let handler: HTTP2ChannelHandler<HTTP2ServerSession>
    let session: HTTP2ServerSession
    // Only one thread uses this object, so exclusivity checks on the hot path would cost time and find nothing.
    @exclusivity(unchecked) var requests = RequestSlab()
    var isClosed = false
    /// The last stream that a sent GOAWAY declares as processed, or `nil` if no GOAWAY was sent.
    private var lastProcessed: Int32?

    private let longestText: Int

    /// Creates a connection.
    ///
    /// - Parameter longestText: the value of ``ConnectionRules/longestText``.
    init(loop: SimulatorLoop, channel: any Channel, session: HTTP2ServerSession, longestText: Int) {
        self.longestText = longestText
        self.loop = loop
        self.channel = channel
        self.session = session
        handler = HTTP2ChannelHandler(session: session)
    }

    // MARK: Requests

    /// The time according to the simulator's clock, in milliseconds since 1970.
    package var now: Int64 { loop.now }

    /// Keeps the text of a request from its next field on, even if requests are not recorded.
    package func keepText(of request: Int) {
        if requests.states[request].text == nil {
            requests.states[request].text = RequestText(longestBody: longestText)
        }
    }

    /// Returns the text of a request, or `nil` if it is not kept.
    package func text(of request: Int) -> RequestText? {
        requests.states[request].text
    }

    /// Answers a request. Does nothing if the client has cancelled it.
    package func respond(
        to request: Int, fields: HTTP2Fields, body: HTTP2Body? = nil, append: (HTTP2FieldAppender) -> Void = { _ in }
    ) {
        do {
            try session.respond(to: requests.states[request].stream, fields: fields, body: body, append: append)
        } catch {
            // The answer is not needed, because the client has cancelled the request.
        }
    }

    /// Answers a request with header fields that are encoded for this answer only.
    ///
    /// - Throws: `HTTP2Error` if a field is not valid in HTTP.
    package func respond(
        to request: Int, status: Int, fields: [HTTP2Field] = [], body: HTTP2Body? = nil,
        append: (HTTP2FieldAppender) -> Void = { _ in }
    ) throws(HTTP2Error) {
        let fields = try HTTP2Fields([HTTP2Field(":status", String(status))] + fields)
        respond(to: request, fields: fields, body: body, append: append)
    }

    func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
        do {
            try session.reset(stream, code: code)
        } catch {
            // The error does not matter, because the connection is ending.
        }
        handler.setNeedsFlush()
    }

    /// Returns received bytes to the client's flow-control window.
    func consume(_ bytes: Int, stream: Int32) {
        guard !isClosed else { return }
        do {
            try session.consume(bytes, stream: stream)
        } catch {
            // The error does not matter, because the connection is ending.
        }
        handler.setNeedsFlush()
    }

    /// Runs `act` after a delay, unless the connection ends during the delay.
    package func schedule(afterMilliseconds milliseconds: Int64, _ act: @escaping (SimulatorConnection) -> Void) {
        loop.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) { [weak self] in
            guard let self, !isClosed else { return }
            act(self)
            handler.setNeedsFlush()
        }
    }

    /// The number of open requests.
    package var openRequests: Int { requests.count }

    /// Increments a counter that only this service has.
    package func count(_ name: String) {
        loop.counters.count(name)
    }

    // MARK: Limits

    /// The number of streams that a connection may open at present.
    package var streamLimit: Int { loop.streamLimit }

    /// Announces a new limit of open streams to the client.
    package func allowStreams(_ limit: Int) {
        do {
            try session.changeSettings(HTTP2Settings(maxConcurrentStreams: UInt32(clamping: limit)))
        } catch {
            // The error does not matter, because the connection is ending.
        }
        handler.setNeedsFlush()
    }

    // MARK: Closing

    /// Sends a GOAWAY frame.
    ///
    /// - Parameter lastStreamID: the last stream to declare as processed, or `nil` for the last stream on which a
    ///   request has arrived.
    package func goAway(lastStreamID: Int32? = nil, code: HTTP2ErrorCode = .noError, debugText: String = "") {
        let last = lastStreamID ?? session.lastStreamID
        let before = lastProcessed
        // `lastProcessed` is set before the call. The call closes the streams after `last`, for which `disowns` must
        // return `true`.
        lastProcessed = min(last, before ?? last)
        do {
            try session.goAway(lastStreamID: last, code: code, debugData: Array(debugText.utf8))
        } catch {
            lastProcessed = before
            // The connection is already ending, or an earlier GOAWAY named a lower stream, so no GOAWAY is sent.
        }
        handler.setNeedsFlush()
    }

    /// Sends a GOAWAY frame that covers all streams, and a moment later the final one.
    func goAwayInTwoSteps(lastStreamID: Int32?, code: HTTP2ErrorCode, debugText: String) {
        do {
            try session.announceGoAway()
        } catch {
            return
        }
        handler.setNeedsFlush()
        loop.eventLoop.assumeIsolated().scheduleTask(in: Self.timeBetweenGoAways) {
            guard !self.isClosed else { return }
            self.goAway(lastStreamID: lastStreamID, code: code, debugText: debugText)
        }
    }

    /// The time between the two GOAWAY frames. It exceeds a round trip, so that requests in flight arrive in this time.
    private static var timeBetweenGoAways: TimeAmount { .milliseconds(200) }

    /// Returns whether a sent GOAWAY has declared a stream as unprocessed.
    func disowns(_ stream: Int32) -> Bool {
        lastProcessed.map { stream > $0 } ?? false
    }

    /// Stops or resumes reading from the client. Requests that arrive while nothing is read are answered later.
    func silence(_ isSilent: Bool) {
        channel.setOption(.autoRead, value: !isSilent).whenComplete { _ in }
    }

    /// Sends as much of the pending output as the channel accepts, and closes the connection.
    package func close() {
        handler.close()
    }

    /// Ends the connection like a network failure, without GOAWAY and without close_notify of TLS.
    package func cut() {
        loop.eventLoop.preconditionInEventLoop()
        guard let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return channel.close(promise: nil)
        }
        // Closing from the context of the TLS handler bypasses TLS, because outbound events start at the handler before
        // it.
        tls.close(promise: nil)
    }
}
