import Foundation
import HTTP2Channel
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing
import Threading

/// An HTTP/2 server over TLS that keeps its requests and gives the answers a test has written for them.
final class ScriptedServer: Sendable {
    struct Request: Sendable {
        var fields: [String: String] = [:]
        var body = ""
        var line: String { "\(fields[":method"] ?? "-") \(fields[":path"] ?? "-")" }
    }

    struct Answer: Sendable {
        var status: Int
        var fields: [String: String] = [:]
        var body = ""

        static func reason(_ status: Int, _ reason: String) -> Answer {
            Answer(status: status, body: #"{"reason":"\#(reason)"}"#)
        }
    }

    let port: Int
    /// Self-signed, so it is its own authority.
    let certificatePEM: String
    private let listener: any Channel
    private let seen: Requests

    var requests: [Request] { seen.all.withLock { $0 } }

    /// - Parameter answer: nil leaves a request without an answer.
    static func with(
        in folder: URL, answer: @escaping @Sendable (Request) -> Answer?, _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let made = try await Subprocess.run(
            [
                "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", "/CN=scripted", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                "scripted.key", "-out", "scripted.pem",
            ], in: folder)
        try #require(made.status == 0, "\(made)")
        let server = try await ScriptedServer(in: folder, answer: answer)
        do {
            try await body(server)
        } catch {
            try await server.listener.close()
            throw error
        }
        try await server.listener.close()
    }

    private init(in folder: URL, answer: @escaping @Sendable (Request) -> Answer?) async throws {
        certificatePEM = try String(contentsOf: folder.appending(path: "scripted.pem"), encoding: .utf8)
        let key = folder.appending(path: "scripted.key").path
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: Array(certificatePEM.utf8), format: .pem))],
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let seen = Requests()
        self.seen = seen
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = try Connection(seen: seen, answer: answer)
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: context), HTTP2ChannelHandler(session: connection.session))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = try #require(listener.localAddress?.port)
    }

    private final class Requests: Sendable {
        let all = Mutex<[Request]>([])
    }

    private final class Connection: HTTP2ServerDelegate {
        let session: HTTP2ServerSession
        private let seen: Requests
        private let answer: @Sendable (Request) -> Answer?
        private var open: [Request] = []

        init(seen: Requests, answer: @escaping @Sendable (Request) -> Answer?) throws {
            self.seen = seen
            self.answer = answer
            session = try HTTP2ServerSession(settings: HTTP2Settings(maxConcurrentStreams: 100))
            session.delegate = self
        }

        func requestStarted(streamID: Int32) -> Int {
            open.append(Request())
            return open.count - 1
        }

        func requestField(tag: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
            open[tag].fields[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }

        func requestData(tag: Int, _ bytes: UnsafeRawBufferPointer) {
            open[tag].body += String(decoding: bytes, as: UTF8.self)
        }

        func requestEnded(tag: Int, streamID: Int32) {
            let request = open[tag]
            seen.all.withLock { $0.append(request) }
            guard let answer = answer(request) else { return }
            let fields = [HTTP2Field(":status", "\(answer.status)")] + answer.fields.map { HTTP2Field($0, $1) }
            try? session.respond(to: streamID, fields: HTTP2Fields(fields), body: HTTP2Body(answer.body.utf8))
        }

        func streamClosed(tag: Int, streamID: Int32, code: HTTP2ErrorCode) {}
        func settingsAcknowledged() {}
        func goAwayReceived(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {}
        func pingAcknowledged(_ payload: UInt64) {}
    }
}
