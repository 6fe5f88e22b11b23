package import HTTP2Channel
package import HTTP2Session
package import NIOCore
import NIOPosix

/// A TLS and HTTP/2 server on loopback whose answers a test controls.
// why: unchecked because its connections are used on one event loop only.
package final class TestServer: @unchecked Sendable {
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private var connections: [TestServerConnection] = []
    private var listener: TLSListener?
    private let settings: HTTP2Settings
    private let onConnect: @Sendable (TestServerConnection) -> Void

    package init(
        settings: HTTP2Settings = HTTP2Settings(),
        onConnect: @escaping @Sendable (TestServerConnection) -> Void = { _ in }
    ) {
        self.settings = settings
        self.onConnect = onConnect
    }

    package func start() async throws -> SocketAddress {
        let listener = try await TLSListener.start(on: eventLoop) { channel in
            let connection = try TestServerConnection(settings: self.settings, number: self.connections.count)
            self.connections.append(connection)
            try channel.pipeline.syncOperations.addHandler(connection.handler)
            connection.channel = channel
            self.onConnect(connection)
        }
        self.listener = listener
        return listener.address
    }

    package func stop() async throws {
        try await listener?.stop()
        try await withConnections { for connection in $0 { connection.channel?.close(promise: nil) } }
    }

    /// Calls `body` with all connections so far, oldest first.
    @discardableResult
    package func withConnections<R: Sendable>(_ body: @escaping @Sendable ([TestServerConnection]) throws -> R)
        async throws
        -> R
    {
        try await eventLoop.submit {
            defer { for connection in self.connections { connection.handler.setNeedsFlush() } }
            return try body(self.connections)
        }.get()
    }
}

/// A connection of a ``TestServer``. It answers each request with 200 unless it holds its answers.
package final class TestServerConnection: HTTP2ServerDelegate, HTTP2ChannelObserver {
    package let session: HTTP2ServerSession
    package let handler: HTTP2ChannelHandler<HTTP2ServerSession>
    package var channel: (any Channel)?
    /// The number of earlier connections.
    package let number: Int
    package var holdsAnswers = false
    /// Whether it sends GOAWAY instead of answers, as if no request was processed.
    package var turnsAway = false
    /// Whether it sends GOAWAY after its first answer.
    package var leavesAfterFirst = false
    /// Whether it sends GOAWAY with debug data before its first answer.
    package var leavesBeforeFirst = false
    /// Whether it resets each request.
    package var resets = false
    package private(set) var isClosed = false
    /// The number of body bytes received.
    package private(set) var bodyBytes = 0
    package private(set) var began: [Int32] = []
    package private(set) var whole: [Int32] = []
    /// The number of answers to the server's own pings.
    package private(set) var pings = 0

    package init(settings: HTTP2Settings, number: Int) throws {
        self.number = number
        session = try HTTP2ServerSession(settings: settings, grantsWindowByHand: true)
        handler = HTTP2ChannelHandler(session: session)
        session.delegate = self
        handler.observer = self
    }

    package func answer(_ stream: Int32) throws {
        try session.respond(to: stream, fields: try HTTP2Fields([HTTP2Field(":status", "200")]))
    }

    package func requestStarted(streamID: Int32) -> Int {
        began.append(streamID)
        return Int(streamID)
    }

    package func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {}

    package func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
        bodyBytes += bytes.count
        if !holdsAnswers { try? session.consume(bytes.count, stream: Int32(tag)) }
    }

    package func requestEnded(tag: Int, streamID: Int32) {
        whole.append(streamID)
        if turnsAway { return _ = try? session.goAway(lastStreamID: 0) }
        if resets { return _ = try? session.reset(streamID, code: .internalError) }
        if leavesBeforeFirst { _ = try? session.goAway(lastStreamID: streamID, debugData: Array("so long".utf8)) }
        if !holdsAnswers { try? answer(streamID) }
        if leavesAfterFirst { _ = try? session.goAway(lastStreamID: streamID) }
    }

    package func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {}
    package func settingsAcknowledged() {}
    package func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {}
    package func pingAcknowledged(_ payload: UInt64) { pings += 1 }
    package func channelClosed(error: (any Error)?) { isClosed = true }
}
