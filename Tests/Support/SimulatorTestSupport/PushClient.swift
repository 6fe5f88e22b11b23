internal import HTTP2Channel
package import HTTP2Session
package import NIOCore
internal import NIOPosix
internal import NIOSSL
package import PushSimulator

/// A minimal sender for tests: one connection over real TLS with Martlet's own HTTP/2 client session.
package final class PushClient: Sendable {
    package struct Response: Sendable, Equatable {
        package var status = 0
        package var fields: [String: String] = [:]
        package var body = ""

        package init(status: Int = 0, fields: [String: String] = [:], body: String = "") {
            self.status = status
            self.fields = fields
            self.body = body
        }
    }

    package struct Lost: Error, Equatable {
        package var code: HTTP2ErrorCode?

        package init(code: HTTP2ErrorCode? = nil) {
            self.code = code
        }
    }

    package struct GoAway: Sendable, Equatable {
        package var lastStreamID: Int32
        package var code = HTTP2ErrorCode.noError
        package var debugData: String

        package init(lastStreamID: Int32, code: HTTP2ErrorCode = .noError, debugData: String) {
            self.lastStreamID = lastStreamID
            self.code = code
            self.debugData = debugData
        }
    }

    struct TookTooLong: Error {}

    private let core: NIOLoopBound<Core>
    private let eventLoop: any EventLoop

    private init(core: NIOLoopBound<Core>) {
        self.core = core
        eventLoop = core.eventLoop
    }

    /// Connects and waits for the TLS handshake and the server's first settings.
    package static func connect(
        to simulator: SimulatedService<some PushDouble>, port: Int? = nil,
        certificate: CertificateAuthority.Issued? = nil,
        protocols: [String] = ["h2"]
    ) async throws -> PushClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.applicationProtocols = protocols
        tls.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: Array(try simulator.caCertificatePEM.utf8), format: .pem)
        ])
        if let certificate {
            tls.certificateChain = [
                .certificate(try NIOSSLCertificate(bytes: Array(certificate.certificatePEM.utf8), format: .pem))
            ]
            tls.privateKey = .privateKey(
                try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.utf8), format: .pem))
        }
        let context = try NIOSSLContext(configuration: tls)
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let core = try await eventLoop.submit { NIOLoopBound(try Core(eventLoop), eventLoop: eventLoop) }.get()
        _ = try await ClientBootstrap(group: eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                    try channel.pipeline.syncOperations.addHandlers(tls, core.value.handler)
                }
            }
            .connect(host: "127.0.0.1", port: port ?? simulator.port).get()
        let client = PushClient(core: core)
        try await client.waitUntil { $0.session.peerMaxConcurrentStreams != nil }
        return client
    }

    /// Sends one request with exactly the given pseudo-headers and fields, and returns the response.
    package func push(
        token: String = "00ff", method: String = "POST", path: String? = nil, fields: [(String, String)],
        payload: [UInt8] = Array(#"{"aps":{}}"#.utf8), authority: String = "localhost"
    ) async throws -> Response {
        let pending = start(
            token: token, method: method, path: path, fields: fields, payload: payload, authority: authority)
        return try await pending.get()
    }

    /// Sends one request like ``push``, without waiting for the response.
    package func start(
        token: String = "00ff", method: String = "POST", path: String? = nil, fields: [(String, String)],
        payload: [UInt8] = Array(#"{"aps":{}}"#.utf8), authority: String = "localhost"
    ) -> EventLoopFuture<Response> {
        eventLoop.flatSubmit { [core] in
            core.value.submit(
                path: path ?? "/3/device/\(token)", method: method, fields: fields, payload: payload,
                authority: authority)
        }
    }

    /// Returns the server's limit of open streams.
    package func streamLimit() async throws -> Int? {
        try await eventLoop.submit { [core] in core.value.session.peerMaxConcurrentStreams }.get()
    }

    package func waitForStreamLimit(_ limit: Int) async throws {
        try await waitUntil { $0.session.peerMaxConcurrentStreams == limit }
    }

    /// Waits until the given number of GOAWAY frames has arrived, and returns all of them.
    package func goAways(_ count: Int) async throws -> [GoAway] {
        try await waitUntil { $0.goAways.count >= count }
        return try await eventLoop.submit { [core] in core.value.goAways }.get()
    }

    /// Waits for the end of the connection.
    package func closed() async throws {
        try await waitUntil { $0.isClosed }
    }

    package func ping() async throws {
        try await eventLoop.submit { [core] in try core.value.ping() }.get()
    }

    package func reset(stream: Int32) async throws {
        try await eventLoop.submit { [core] in try core.value.reset(stream) }.get()
    }

    /// The longest time that a test waits for anything.
    private static let patience = TimeAmount.seconds(600)

    /// Waits until the condition holds. Throws if the connection fails first.
    private func waitUntil(_ condition: @escaping @Sendable (Core) -> Bool) async throws {
        try await eventLoop.flatSubmit { [core] in core.value.wait(condition) }.get()
    }

    /// The part of the client that runs on the event loop.
    private final class Core: HTTP2ClientDelegate, HTTP2ChannelObserver {
        let session: HTTP2ClientSession
        let handler: HTTP2ChannelHandler<HTTP2ClientSession>
        private(set) var goAways: [GoAway] = []
        private(set) var isClosed = false
        private let eventLoop: any EventLoop
        private var pending: [(response: Response, promise: EventLoopPromise<Response>)] = []
        private var waiters: [(condition: (Core) -> Bool, promise: EventLoopPromise<Void>)] = []

        init(_ eventLoop: any EventLoop) throws {
            self.eventLoop = eventLoop
            session = try HTTP2ClientSession()
            handler = HTTP2ChannelHandler(session: session)
            session.delegate = self
            handler.observer = self
        }

        func ping() throws {
            try session.ping(0)
            handler.setNeedsFlush()
        }

        func reset(_ stream: Int32) throws {
            try session.reset(stream)
            handler.setNeedsFlush()
        }

        func submit(
            path: String, method: String, fields: [(String, String)], payload: [UInt8], authority: String
        ) -> EventLoopFuture<Response> {
            let promise = promise(of: Response.self)
            pending.append((Response(), promise))
            do {
                let head = try HTTP2Fields([
                    HTTP2Field(":method", method), HTTP2Field(":scheme", "https"),
                    HTTP2Field(":authority", authority),
                ])
                let rest = try HTTP2Fields(fields.map { HTTP2Field($0.0, $0.1) })
                _ = try Array(path.utf8).withUnsafeBytes {
                    try session.submit(
                        connectionFields: head, path: $0, requestFields: rest, body: HTTP2Body(payload),
                        tag: pending.count - 1)
                }
                handler.setNeedsFlush()
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }

        func wait(_ condition: @escaping (Core) -> Bool) -> EventLoopFuture<Void> {
            let promise = promise(of: Void.self)
            waiters.append((condition, promise))
            somethingHappened()
            return promise.futureResult
        }

        /// Returns a promise that fails if it is not fulfilled within the time limit.
        private func promise<Value: Sendable>(of type: Value.Type) -> EventLoopPromise<Value> {
            let promise = eventLoop.makePromise(of: type)
            let timeout = eventLoop.scheduleTask(in: PushClient.patience) { promise.fail(TookTooLong()) }
            promise.futureResult.whenComplete { _ in timeout.cancel() }
            return promise
        }

        private func somethingHappened() {
            let ready = waiters.filter { $0.condition(self) || isClosed }
            waiters.removeAll { $0.condition(self) || isClosed }
            for waiter in ready {
                waiter.condition(self) ? waiter.promise.succeed() : waiter.promise.fail(Lost())
            }
        }

        func responseStarted(tag: Int, status: Int) {
            pending[tag].response.status = status
        }

        func responseField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
            pending[tag].response.fields[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }

        func responseData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
            pending[tag].response.body += String(decoding: bytes, as: UTF8.self)
        }

        func responseEnded(tag: Int) {
            pending[tag].promise.succeed(pending[tag].response)
        }

        func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {
            pending[tag].promise.fail(Lost(code: code))
        }

        func peerSettingsChanged() {
            somethingHappened()
        }

        func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
            goAways.append(
                GoAway(lastStreamID: lastStreamID, code: code, debugData: String(decoding: debugData, as: UTF8.self)))
            somethingHappened()
        }

        func pingAcknowledged(_ payload: UInt64) {}

        func channelClosed(error: (any Error)?) {
            isClosed = true
            for request in pending {
                request.promise.fail(Lost())
            }
            somethingHappened()
        }
    }
}
