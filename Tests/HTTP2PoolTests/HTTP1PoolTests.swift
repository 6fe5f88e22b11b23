import HTTP2Pool
import HTTP2Session
import NIOCore
import NIOPosix
import TestSupport
import Testing
import Foundations
import WireTestSupport

/// A pool that may use HTTP/1.1, with servers that support nothing else.
@Suite struct HTTP1PoolTests {
    /// A server's answer, and the expected end of the request.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reaction: HTTP1Server.Reaction
        let end: String
        var body: String?
        /// Whether the connection stays open for another request.
        var keeps = false
        /// Whether the server never completes its answer, so that the request times out.
        var hangs = false
    }

    private static let ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"

    static let cases: [Case] = [
        Case(testDescription: "content-length", reaction: .send(ok), end: "200", body: "ok", keeps: true),
        Case(
            testDescription: "chunked body", reaction: .send(chunked("2\r\nok\r\n3\r\nay!\r\n0\r\n\r\n")), end: "200",
            body: "okay!", keeps: true),
        Case(
            testDescription: "chunked body and trailer", reaction: .send(chunked("2\r\nok\r\n0\r\nsum: 2\r\n\r\n")),
            end: "200", body: "ok", keeps: true),
        Case(
            testDescription: "no body", reaction: .send("HTTP/1.1 204 No Content\r\n\r\n"), end: "204", body: "",
            keeps: true),
        Case(
            testDescription: "body until close", reaction: .end("HTTP/1.1 200 OK\r\n\r\nall of it"), end: "200",
            body: "all of it"),
        Case(
            testDescription: "connection: close",
            reaction: .send("HTTP/1.1 429 \r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
            end: "429", body: ""),
        Case(
            testDescription: "HTTP/1.0", reaction: .send("HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"), end: "200",
            body: "ok"),
        Case(
            testDescription: "HTTP/1.0 with keep-alive",
            reaction: .send("HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok"), end: "200",
            body: "ok", keeps: true),
        Case(
            testDescription: "interim responses first",
            reaction: .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n\(ok)"),
            end: "200", body: "ok", keeps: true),
        Case(
            testDescription: "switch to another protocol",
            reaction: .send("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
            end: "101"),
        Case(
            testDescription: "body of maximum size", reaction: .send(answer(bodyBytes: 4096)), end: "200", keeps: true),
        Case(testDescription: "body too long", reaction: .send(answer(bodyBytes: 4097)), end: "200, too long"),
        Case(testDescription: "fields too long", reaction: .send(answer(fieldBytes: 17_000)), end: "lost"),
        Case(testDescription: "the connection was closed without an answer", reaction: .end(), end: "lost"),
        Case(
            testDescription: "cut in the body", reaction: .end("HTTP/1.1 201 Created\r\ncontent-length: 3\r\n\r\nok"),
            end: "201, cut", body: "ok"),
        Case(testDescription: "cut in a chunk", reaction: .end(chunked("5\r\nok")), end: "200, cut", body: "ok"),
        Case(
            testDescription: "cut in the body of a refusal",
            reaction: .end("HTTP/1.1 404 Not Found\r\ncontent-length: 3\r\n\r\nok"), end: "lost"),
        Case(testDescription: "cut in the fields", reaction: .end("HTTP/1.1 200 OK\r\ncontent"), end: "lost"),
        Case(testDescription: "not HTTP", reaction: .send("220 mail.test ESMTP\r\n"), end: "lost"),
        Case(testDescription: "unknown HTTP version", reaction: .send("HTTP/3.0 200 OK\r\n\r\n"), end: "lost"),
        Case(
            testDescription: "two content-length fields",
            reaction: .send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok"), end: "lost"),
        Case(testDescription: "no answer", reaction: .nothing, end: "lost, timeout", hangs: true),
        Case(
            testDescription: "body without end", reaction: .send("HTTP/1.1 200 OK\r\n\r\nok"), end: "200, cut",
            body: "ok", hangs: true),
    ]

    private static func chunked(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\(body)"
    }

    private static func answer(bodyBytes: Int = 0, fieldBytes: Int = 0) -> String {
        """
        HTTP/1.1 200 OK\r\nfiller: \(String(repeating: "f", count: fieldBytes))\r\ncontent-length: \(bodyBytes)\r\n\r\n\
        \(String(repeating: "b", count: bodyBytes))
        """
    }

    private func pool(
        at server: HTTP1Server, requests: Int, bodyBytes: Int = 0,
        _ change: (inout PoolConfiguration) -> Void = { _ in }
    ) throws -> PoolFixture {
        try PoolFixture(at: try server.address, requests: requests, bodyBytes: bodyBytes) {
            $0.protocols = .http2OrHTTP1
            change(&$0)
        }
    }

    @Test(arguments: cases) func endsRequestAsAnswerRequires(_ one: Case) async throws {
        try await HTTP1Server.with { _ in
            one.reaction
        } _: { server in
            let fixture = try pool(at: server, requests: 1, bodyBytes: 10) {
                $0.requestTimeoutSeconds = one.hangs ? 2 : 60
            }
            let began = ContinuousClock.now
            try await fixture.start()
            try await eventually("the request ended; the server received \(server.requests)") {
                try await !fixture.look { $0.ended.isEmpty }
            }
            let ends = try await fixture.look { $0.ends }
            #expect(ends.keys.allSatisfy { $0.hasPrefix(one.end) }, "\(ends)")
            #expect(ends.values.map { $0 } == [1])
            if let body = one.body { #expect(try await fixture.look { $0.bodies } == [body]) }
            if one.keeps {
                // The pool closes connections that are idle for three seconds. A busy machine may take that long to get
                // here.
                let closed = server.closed
                #expect(closed == 0 || ContinuousClock.now - began > .seconds(2))
            } else {
                try await eventually("the connection closed") { server.closed == 1 }
            }
            try await fixture.close()
        }
    }

    @Test func sendsSameRequestAsOverHTTP2() async throws {
        try await HTTP1Server.with { _ in
            .send(Self.ok)
        } _: { server in
            let fixture = try pool(at: server, requests: 1, bodyBytes: 3)
            try await fixture.start()
            try await eventually("the request ended") { try await !fixture.look { $0.ended.isEmpty } }
            let request = try #require(server.requests.first)
            #expect(request.line == "POST /notes")
            #expect(request.fields == ["host": "pool.test", "content-length": "3"])
            #expect(request.body == Array("bbb".utf8))
            try await fixture.close()
        }
    }

    @Test func reusesConnectionForAllRequests() async throws {
        try await HTTP1Server.with { _ in
            .send(Self.ok)
        } _: { server in
            let fixture = try pool(at: server, requests: 200)
            try await fixture.start()
            try await eventually("all requests answered") { try await fixture.look { $0.ends } == ["200": 200] }
            #expect(server.connections == 1)
            try await fixture.close()
        }
    }

    /// The limit of one new connection per second must not apply, because the server closes after every answer.
    @Test func reconnectsAtOnceToServerThatAlwaysCloses() async throws {
        let answer = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        try await HTTP1Server.with { _ in
            .end(answer)
        } _: { server in
            let fixture = try pool(at: server, requests: 100)
            try await fixture.start()
            try await eventually("all requests answered") { try await fixture.look { $0.ends } == ["200": 100] }
            #expect(server.connections == 100)
            try await fixture.close()
        }
    }

    @Test func losesNoRequestWhenServerClosesIdleConnection() async throws {
        try await HTTP1Server.with { _ in
            .send(Self.ok)
        } _: { server in
            let fixture = try pool(at: server, requests: 1)
            try await fixture.start()
            try await eventually("the first request answered") { try await fixture.look { $0.ends } == ["200": 1] }
            server.closeConnections()
            try await eventually("the connection closed") { server.closed == 1 }
            try await fixture.request(1)
            try await eventually("the second request answered") { try await fixture.look { $0.ends["200"] } == 2 }
            #expect(try await fixture.look { $0.ends } == ["200": 2])
            try await fixture.close()
        }
    }

    @Test func closesIdleConnectionBeforeServerDoes() async throws {
        let answer = "HTTP/1.1 200 OK\r\nkeep-alive: timeout=2, max=9\r\ncontent-length: 0\r\n\r\n"
        try await HTTP1Server.with { _ in
            .send(answer)
        } _: { server in
            let fixture = try pool(at: server, requests: 1) { $0.idleSeconds = 600 }
            try await fixture.start()
            try await eventually("the connection closed") { server.closed == 1 }
            try await fixture.close()
        }
    }

    /// A server that rejects a body of this size does not read the body.
    @Test func acceptsAnswerBeforeRequestIsCompletelySent() async throws {
        let answer = "HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n"
        try await HTTP1Server.with(answering: .head) { _ in
            .send(answer)
        } _: { server in
            let fixture = try pool(at: server, requests: 1, bodyBytes: 64 * 1024 * 1024)
            try await fixture.start()
            try await eventually("the request ended") { try await fixture.look { $0.ends } == ["413": 1] }
            try await eventually("the connection closed") { server.closed == 1 }
            try await fixture.close()
        }
    }

    /// While one request is not answered, a second connection serves other waiting requests.
    @Test func opensConnectionForWaitingRequests() async throws {
        let isFirst = Atomic(true)
        try await HTTP1Server.with { _ in
            isFirst.exchange(false, ordering: .relaxed) ? .send(Self.ok) : .nothing
        } _: { server in
            let fixture = try pool(at: server, requests: 10) { $0.maximumConnections = 2 }
            try await fixture.start()
            try await eventually("a second connection and three requests") {
                server.connections == 2 && server.requests.count == 3
            }
            try await fixture.close()
        }
    }

    @Test func sendsRequestsWithoutTLS() async throws {
        try await HTTP1Server.with(protocols: nil) { _ in
            .send(Self.ok)
        } _: { server in
            let fixture = try pool(at: server, requests: 2) { $0.tls = nil }
            try await fixture.start()
            try await eventually("both requests answered") { try await fixture.look { $0.ends } == ["200": 2] }
            try await fixture.close()
        }
    }

    @Test func timesOutWithoutTLS() async throws {
        try await HTTP1Server.with(protocols: nil) { _ in
            .nothing
        } _: { server in
            let fixture = try pool(at: server, requests: 1) {
                $0.tls = nil
                $0.requestTimeoutSeconds = 1
            }
            try await fixture.start()
            try await eventually("the request timed out") { try await fixture.look { $0.ends } == ["lost, timeout": 1] }
            try await fixture.close()
        }
    }

    @Test(arguments: [["http/1.1"], [], ["http/1.1", "h2"], ["h2"]]) func usesProtocolOfServer(protocols: [String])
        async throws
    {
        if protocols.contains("h2") {
            try await ScriptedServer.with { _ in
                .init(status: 200)
            } _: { server in
                let address = try SocketAddress(ipAddress: "127.0.0.1", port: server.port)
                let fixture = try PoolFixture(at: address, requests: 2) { $0.protocols = .http2OrHTTP1 }
                try await fixture.start()
                try await eventually("both requests answered") { try await fixture.look { $0.ends } == ["200": 2] }
                #expect(server.requests.map(\.line) == ["POST /notes", "POST /notes"])
                try await fixture.close()
            }
        } else {
            try await HTTP1Server.with(protocols: protocols) { _ in
                .send(Self.ok)
            } _: { server in
                let fixture = try pool(at: server, requests: 2)
                try await fixture.start()
                try await eventually("both requests answered") { try await fixture.look { $0.ends } == ["200": 2] }
                try await fixture.close()
            }
        }
    }

    @Test func sendsRequestsToPythonHTTPServer() async throws {
        let server = try Subprocess(["/usr/bin/python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
        try await eventually("the server listening\n\(server.output)\(server.errors)") {
            server.output.contains("port ")
        }
        let port = try #require(server.output.firstMatch(of: /port (\d+)/).flatMap { Int($0.1) })
        let configuration = PoolFixture.configuration(at: try SocketAddress(ipAddress: "127.0.0.1", port: port)) {
            $0.tls = nil
            $0.protocols = .http2OrHTTP1
        }
        let answer = try await SingleRequest.perform(
            fields: try PoolFixture.fields("GET", authority: "127.0.0.1"), path: "/", body: HTTP2Body([]),
            with: configuration, on: MultiThreadedEventLoopGroup.singleton.next())
        #expect(answer.status == 200)
        #expect(answer.fields["server"]?.hasPrefix("SimpleHTTP") == true, "\(answer.fields)")
        #expect(String(decoding: answer.body, as: UTF8.self).contains("Directory listing"))
        server.signal(9)
    }
}
