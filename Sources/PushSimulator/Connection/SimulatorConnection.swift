internal import HTTP2Channel
package import HTTP2Session
internal import NIOCore
internal import NIOSSL

/// One client's connection: what the rules may know of it and do to it, and what goes wrong with it on demand. Confined
/// to its event loop.
public final class SimulatorConnection {
    private let loop: SimulatorLoop
    private let channel: any Channel
    let handler: HTTP2ChannelHandler<HTTP2ServerSession>
    let session: HTTP2ServerSession
    // One event loop, one thread: nothing for exclusivity checks to find on the hot path.
    @exclusivity(unchecked) var requests = RequestSlab()
    var isClosed = false
    /// The last stream that is processed, by a GOAWAY; nil: none was sent.
    private var lastProcessed: Int32?

    private let longestText: Int

    /// - Parameter longestText: as in ``ConnectionRules/longestText``.
    init(loop: SimulatorLoop, channel: any Channel, session: HTTP2ServerSession, longestText: Int) {
        self.longestText = longestText
        self.loop = loop
        self.channel = channel
        self.session = session
        handler = HTTP2ChannelHandler(session: session)
    }

    // MARK: Requests

    /// Milliseconds since 1970, by the simulator's clock.
    package var now: Int64 { loop.now }

    /// The request's text from its next field on, also when it is not recorded.
    package func keepText(of request: Int) {
        if requests.states[request].text == nil {
            requests.states[request].text = RequestText(longestBody: longestText)
        }
    }

    /// nil: nobody keeps it.
    package func text(of request: Int) -> RequestText? {
        requests.states[request].text
    }

    /// Answers a request; nothing happens if its client has given it up.
    package func respond(
        to request: Int, fields: HTTP2Fields, body: HTTP2Body? = nil, append: (HTTP2FieldAppender) -> Void = { _ in }
    ) {
        do {
            try session.respond(to: requests.states[request].stream, fields: fields, body: body, append: append)
        } catch {
            // There is nobody left to answer.
        }
    }

    /// The same, for an answer whose fields are encoded for it alone.
    ///
    /// - Throws: `HTTP2Error` if a field is none that HTTP has.
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

    /// Gives the client window again.
    func consume(_ bytes: Int, stream: Int32) {
        guard !isClosed else { return }
        do {
            try session.consume(bytes, stream: stream)
        } catch {
            // The connection is ending.
        }
        handler.setNeedsFlush()
    }

    /// Does something then, unless the connection is over.
    package func schedule(afterMilliseconds milliseconds: Int64, _ act: @escaping (SimulatorConnection) -> Void) {
        loop.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) { [weak self] in
            guard let self, !isClosed else { return }
            act(self)
            handler.setNeedsFlush()
        }
    }

    /// Requests begun and not finished.
    package var openRequests: Int { requests.count }

    /// Counts something under a name of the service's own.
    package func count(_ name: String) {
        loop.counters.count(name)
    }

    // MARK: Limits

    /// Streams that a connection may open at present.
    package var streamLimit: Int { loop.streamLimit }

    /// Announces how many streams the client may open.
    package func allowStreams(_ limit: Int) {
        do {
            try session.changeSettings(HTTP2Settings(maxConcurrentStreams: UInt32(clamping: limit)))
        } catch {
            // The connection is ending.
        }
        handler.setNeedsFlush()
    }

    // MARK: The end

    /// Sends GOAWAY.
    ///
    /// - Parameter lastStreamID: the last stream said to be processed; nil: the last that was.
    package func goAway(lastStreamID: Int32? = nil, code: HTTP2ErrorCode = .noError, debugText: String = "") {
        let last = lastStreamID ?? session.lastStreamID
        let before = lastProcessed
        // The streams above it close in the next call.
        lastProcessed = min(last, before ?? last)
        do {
            try session.goAway(lastStreamID: last, code: code, debugData: Array(debugText.utf8))
        } catch {
            lastProcessed = before
            // Not possible for this connection: it is ending already, or an earlier GOAWAY named a lower stream.
        }
        handler.setNeedsFlush()
    }

    /// Sends a GOAWAY for all streams, then the one that is meant.
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

    /// A round trip or more, so that requests under way arrive in between.
    private static var timeBetweenGoAways: TimeAmount { .milliseconds(200) }

    /// Whether a GOAWAY has said that this stream is not processed.
    func disowns(_ stream: Int32) -> Bool {
        lastProcessed.map { stream > $0 } ?? false
    }

    /// Reads nothing any more, so that nothing is answered either; or goes on where it stopped.
    func silence(_ isSilent: Bool) {
        channel.setOption(.autoRead, value: !isSilent).whenComplete { _ in }
    }

    /// Closes the connection, after what is ready to be sent.
    package func close() {
        handler.close()
    }

    /// Ends the connection as a lost network does: no GOAWAY, no TLS farewell.
    package func cut() {
        loop.eventLoop.preconditionInEventLoop()
        guard let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return channel.close(promise: nil)
        }
        // Closing from here leaves TLS out of it: an outbound event starts at the handler before.
        tls.close(promise: nil)
    }
}
