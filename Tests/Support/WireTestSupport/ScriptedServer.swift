import Foundation
import HTTP2Channel
import NIOCore
import Foundations

/// A TLS server that treats each connection as a test specifies, and records the requests.
package final class ScriptedServer: Sendable {
    /// A step of a connection without HTTP/2. The steps begin when the client has sent a request.
    package enum Step: Sendable {
        case send([UInt8])
        /// Sends the same bytes repeatedly, as fast as the client reads, until the connection is closed.
        case sendForever([UInt8])
        case close
        /// Closes the socket without a close_notify alert of TLS.
        case cut
    }

    package struct Request: Sendable {
        package var fields: [String: String] = [:]
        package var bytes: [UInt8] = []
        package var body: String { String(decoding: bytes, as: UTF8.self) }
        package var line: String { "\(fields[":method"] ?? "-") \(fields[":path"] ?? "-")" }
    }

    package struct Answer: Sendable {
        let status: Int
        let fields: [String: String]
        let body: String
        /// The delay before the answer, in milliseconds.
        let delay: Int64

        package init(status: Int, fields: [String: String] = [:], body: String = "", after delay: Int64 = 0) {
            self.status = status
            self.fields = fields
            self.body = body
            self.delay = delay
        }

        package static func reason(_ status: Int, _ reason: String) -> Answer {
            Answer(status: status, body: #"{"reason":"\#(reason)"}"#)
        }
    }

    /// The connections and requests so far.
    final class Record: Sendable {
        let connections = Mutex(0)
        let requests = Mutex<[Request]>([])
    }

    package let authorityFile: String
    private let listener: TLSListener
    private let record: Record

    package var port: Int { listener.address.port ?? 0 }
    package var authorityPEM: String { listener.authorityPEM }
    /// The number of connections over which data has arrived.
    package var connections: Int { record.connections.withLock { $0 } }
    package var requests: [Request] { record.requests.withLock { $0 } }

    /// Starts a server that runs a script on each connection as soon as a request arrives, regardless of its contents.
    package static func start(_ script: [Step]) async throws -> ScriptedServer {
        try await ScriptedServer { channel, record in
            try channel.pipeline.syncOperations.addHandler(ScriptedBytes(script, record))
        }
    }

    /// Runs an HTTP/2 server while `body` runs.
    ///
    /// - Parameter answer: returns the answer to a request, or `nil` to leave the request unanswered.
    package static func with(
        answer: @escaping @Sendable (Request) -> Answer?, _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer { channel, record in
            let connection = try ScriptedAnswers(answer, record, channel.eventLoop)
            let handler = HTTP2ChannelHandler(session: connection.session)
            connection.flush = { [weak handler] in handler?.setNeedsFlush() }
            try channel.pipeline.syncOperations.addHandler(handler)
        }
        do {
            try await body(server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private init(serve: @escaping @Sendable (any Channel, Record) throws -> Void) async throws {
        let record = Record()
        self.record = record
        listener = try await TLSListener.start { try serve($0, record) }
        authorityFile =
            FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString).pem").path
        try listener.authorityPEM.write(toFile: authorityFile, atomically: true, encoding: .utf8)
    }

    package func stop() async throws {
        try await listener.stop()
        try FileManager.default.removeItem(atPath: authorityFile)
    }
}
