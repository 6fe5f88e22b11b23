import Foundations
import HTTP2Pool
import HTTP2Session
import Logging
import NIOCore
import NIOPosix
import NIOSSL

/// A client that sends requests and records how each one ended.
// why: unchecked because all access is on the event loop of its pool.
final class NotingClient: PoolClient, @unchecked Sendable {
    private(set) var waiting: Int
    private(set) var ends: [String: Int] = [:]
    private(set) var ended: [Int: Int] = [:]
    private var nextTag = 0
    private let path = HTTP2Body("/notes".utf8)
    private let fields: HTTP2Fields
    private let verdict: ConnectionVerdict
    private let body: HTTP2Body
    /// The errors of failed connection attempts.
    private(set) var errors: [String] = []
    private(set) var bodies: [String] = []

    init(requests: Int, verdict: ConnectionVerdict = .keep, bodyBytes: Int = 0) throws {
        waiting = requests
        self.verdict = verdict
        body = HTTP2Body([UInt8](repeating: UInt8(ascii: "b"), count: bodyBytes))
        fields = try HTTP2Fields([])
    }

    private func end(_ tag: Int, _ how: String) {
        ends[how, default: 0] += 1
        ended[tag, default: 0] += 1
    }

    func next(onlyUrgent: Bool, now: Int64) -> PoolRequest? {
        guard waiting > 0 else { return nil }
        waiting -= 1
        nextTag += 1
        return path.withUnsafeBytes { PoolRequest(tag: nextTag, path: $0, fields: fields, body: body) }
    }

    func answered(_ tag: Int, _ answer: PoolAnswer, now: Int64) -> ConnectionVerdict {
        end(tag, "\(answer.status)" + (answer.isTooLong ? ", too long" : answer.cut != nil ? ", cut" : ""))
        bodies.append(String(decoding: answer.body, as: UTF8.self))
        return verdict
    }

    func unprocessed(_ tag: Int, _ loss: RequestLoss?, now: Int64) {
        end(tag, "unprocessed")
        waiting += 1
    }

    func lost(_ tag: Int, _ loss: RequestLoss, now: Int64) { end(tag, "lost, \(loss)") }

    func connectFailed(_ error: any Error, isLast: Bool, now: Int64) {
        ends["no connection", default: 0] += 1
        errors.append("\(error)")
    }

    func request(_ more: Int) { waiting += more }

    func goAway(debugData: [UInt8], now: Int64) -> String? { nil }
    func turnBegins(now: Int64) {}
    func filled(isUsable: Bool, now: Int64) {}
    func turnEnds() {}
    func tick(now: Int64) {}
    func answerField(_ tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {}
}

/// A pool with a ``NotingClient``, connected to a test server.
struct PoolFixture: Sendable {
    let client: NotingClient
    let pool: ConnectionPool

    init(
        at address: SocketAddress, requests: Int, verdict: ConnectionVerdict = .keep, bodyBytes: Int = 0,
        _ change: (inout PoolConfiguration) -> Void = { _ in }
    ) throws {
        let configuration = Self.configuration(at: address, change)
        client = try NotingClient(requests: requests, verdict: verdict, bodyBytes: bodyBytes)
        let fields = try Self.fields(authority: configuration.endpoint.authority)
        pool = try ConnectionPool(
            configuration, client: client, eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { FixedAuthorization(fields) }
    }

    static func configuration(
        at address: SocketAddress, _ change: (inout PoolConfiguration) -> Void = { _ in }
    ) -> PoolConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        var configuration = PoolConfiguration(
            service: "the test", endpoint: Endpoint(host: "pool.test", port: 443), tls: tls, connectTimeoutSeconds: 30)
        configuration.resolve = { _, _ in [address] }
        change(&configuration)
        return configuration
    }

    static func fields(_ method: String = "POST", authority: String) throws -> HTTP2Fields {
        try HTTP2Fields([
            HTTP2Field(":method", method), HTTP2Field(":scheme", "https"), HTTP2Field(":authority", authority),
        ])
    }

    func request(_ more: Int) async throws {
        try await pool.eventLoop.submit {
            client.request(more)
            pool.scheduleTurn()
        }.get()
    }

    func start() async throws { try await pool.eventLoop.submit { pool.scheduleTurn() }.get() }

    func look<R: Sendable>(_ body: @escaping @Sendable (NotingClient) -> R) async throws -> R {
        try await pool.eventLoop.submit { body(client) }.get()
    }

    /// Closes the pool at once and waits until its connections are closed. Open requests are lost.
    func close() async throws {
        let closed = pool.eventLoop.makePromise(of: Void.self)
        try await pool.eventLoop.submit {
            pool.retire(closed: closed)
            pool.abandon()
        }.get()
        try await closed.futureResult.get()
    }
}
