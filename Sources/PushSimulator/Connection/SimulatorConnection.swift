internal import HTTP2Channel
package import HTTP2Session
internal import NIOCore
internal import NIOSSL

/// The connection of a client. Gives the rules access to it, and simulates faults on demand. Confined to its event
/// loop.
public final class SimulatorConnection {
    private let loop: SimulatorLoop
    private let channel: any Channel
    let handler: HTTP2ChannelHandler<HTTP2ServerSession>
    let session: HTTP2ServerSession
    // Access is confined to one thread, so exclusivity checks on the hot path can't find anything.
    @exclusivity(unchecked) var requests = RequestSlab()
    var isClosed = false
    /// The last stream that a sent GOAWAY declares as processed, or `nil` if none was sent.
    private var lastProcessed: Int32?

    private let longestText: Int

    /// Creates the connection.
    ///
    /// - Parameter longestText: See ``ConnectionRules/longestText``.
    init(loop: SimulatorLoop, channel: any Channel, session: HTTP2ServerSession, longestText: Int) {
        self.longestText = longestText
        self.loop = loop
        self.channel = channel
        self.session = session
        handler = HTTP2ChannelHandler(session: session)
    }

    // MARK: Requests

    /// The time by the simulator's clock, in milliseconds since 1970.
    package var now: Int64 { loop.now }

    /// Keeps the request's text from its next field on, even if requests are not recorded.
    package func keepText(of request: Int) {
        if requests.states[request].text == nil {
            requests.states[request].text = RequestText(longestBody: longestText)
        }
    }

    /// Returns the text of the request, or `nil` if it is not kept.
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
            // The client has cancelled the request.
        }
    }

    /// Answers a request with fields that are encoded for this answer alone.
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
            // The connection is ending.
        }
        handler.setNeedsFlush()
    }

    /// Returns consumed flow-control window to the client.
    func consume(_ bytes: Int, stream: Int32) {
        guard !isClosed else { return }
        do {
            try session.consume(bytes, stream: stream)
        } catch {
            // The connection is ending.
        }
        handler.setNeedsFlush()
    }

    /// Runs `act` after the delay, unless the connection has ended.
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
            // The connection is ending.
        }
        handler.setNeedsFlush()
    }

    // MARK: Closing

    /// Sends GOAWAY.
    ///
    /// - Parameter lastStreamID: The last stream to declare as processed, or `nil` for the last one that actually was.
    package func goAway(lastStreamID: Int32? = nil, code: HTTP2ErrorCode = .noError, debugText: String = "") {
        let last = lastStreamID ?? session.lastStreamID
        let before = lastProcessed
        // Set first, because the streams above it close during the next call.
        lastProcessed = min(last, before ?? last)
        do {
            try session.goAway(lastStreamID: last, code: code, debugData: Array(debugText.utf8))
        } catch {
            lastProcessed = before
            // The connection is already ending, or an earlier GOAWAY named a lower stream.
        }
        handler.setNeedsFlush()
    }

    /// Sends a GOAWAY that covers all streams, then the final one.
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

    /// The time between the two GOAWAY frames. It exceeds a round trip, so that requests in flight arrive in between.
    private static var timeBetweenGoAways: TimeAmount { .milliseconds(200) }

    /// Returns whether a GOAWAY has declared this stream as unprocessed.
    func disowns(_ stream: Int32) -> Bool {
        lastProcessed.map { stream > $0 } ?? false
    }

    /// Stops reading from the client, which stops all answers too, or resumes reading where it stopped.
    func silence(_ isSilent: Bool) {
        channel.setOption(.autoRead, value: !isSilent).whenComplete { _ in }
    }

    /// Closes the connection after all pending output is sent.
    package func close() {
        handler.close()
    }

    /// Ends the connection as a network failure does, without GOAWAY or TLS close_notify.
    package func cut() {
        loop.eventLoop.preconditionInEventLoop()
        guard let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return channel.close(promise: nil)
        }
        // Closing from the TLS handler's context bypasses TLS, because an outbound event starts at the preceding
        // handler.
        tls.close(promise: nil)
    }
}
