import Foundation
import HTTP2Channel
import NIOCore
import Threading

/// A server over TLS that does with each connection what a test has written down, and keeps what it was asked.
package final class ScriptedServer: Sendable {
    /// What to do with a connection that knows no HTTP/2. Steps wait until the client has sent a request.
    package enum Step: Sendable {
        case send([UInt8])
        /// The same bytes again and again until the client closes, waiting for it to read.
        case sendForever([UInt8])
        case close
        /// Without TLS's goodbye.
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
        /// Milliseconds to wait before it.
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

    /// What has come.
    final class Record: Sendable {
        let connections = Mutex(0)
        let requests = Mutex<[Request]>([])
    }

    package let authorityFile: String
    private let listener: TLSListener
    private let record: Record

    package var port: Int { listener.address.port ?? 0 }
    package var authorityPEM: String { listener.authorityPEM }
    /// Those over which anything has come.
    package var connections: Int { record.connections.withLock { $0 } }
    package var requests: [Request] { record.requests.withLock { $0 } }

    /// It sends the bytes of its script, whatever the client says.
    package static func start(_ script: [Step]) async throws -> ScriptedServer {
        try await ScriptedServer { channel, record in
            try channel.pipeline.syncOperations.addHandler(ScriptedBytes(script, record))
        }
    }

    /// It speaks HTTP/2.
    ///
    /// - Parameter answer: nil leaves a request without an answer.
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
