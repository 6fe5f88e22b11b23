import Foundations
import HTTPServing
import NIOCore
import NIOHTTP1
import NIOPosix
import TestSupport
import Testing

/// The server over real connections.
@Suite(.timeLimit(.minutes(20))) struct HTTPListenerTests {
    /// Runs a server that answers with what it got, while `body` runs.
    private func withServer(
        _ change: (inout ServingLimits) -> Void = { _ in },
        answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = Self.echo,
        _ body: (_ port: Int, HTTPListener) async throws -> Void
    ) async throws {
        var limits = ServingLimits()
        limits.request = .seconds(600)
        change(&limits)
        let listener = HTTPListener(
            limits: limits, eventLoops: MultiThreadedEventLoopGroup.singleton, fields: [("X-Test", "yes")],
            answer: answer)
        let port = try await listener.listen(on: Endpoint(host: "127.0.0.1", port: 0))
        do {
            try await body(port, listener)
        } catch {
            Issue.record(error)
        }
        await listener.stop(within: .seconds(60))
    }

    static let badTarget = "the request's target or Host is not valid"

    private static let echo: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
        let body = request.body.map { String(buffer: $0) } ?? "too long"
        return HTTPResponse(.ok, line: "\(request.method) \(request.path) \(request.authority ?? "-") \(body)")
    }

    @Test(arguments: [
        ("GET /a%20b?x=1 HTTP/1.1\r\nHost: one:80\r\n\r\n", "200 OK", "GET /a%20b one:80 "),
        ("GET / HTTP/1.0\r\n\r\n", "200 OK", "GET / - "),
        ("GET http://two/a HTTP/1.1\r\nHost: one\r\n\r\n", "200 OK", "GET /a two "),
        ("GET HTTP://two:1?x HTTP/1.1\r\nHost: one\r\n\r\n", "200 OK", "GET / two:1 "),
        ("POST / HTTP/1.1\r\nHost: one\r\nContent-Length: 4\r\n\r\nbody", "200 OK", "POST / one body"),
        (
            "POST / HTTP/1.1\r\nHost: one\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n",
            "200 OK", "POST / one body"
        ),
        ("POST / HTTP/1.1\r\nHost: one\r\nContent-Length: 9\r\n\r\nbody 1234", "200 OK", "POST / one too long"),
        ("GET / HTTP/1.1\r\nHost: one\r\nHost: two\r\n\r\n", "400 Bad Request", Self.badTarget),
        ("GET / HTTP/1.1\r\n\r\n", "400 Bad Request", Self.badTarget),
        ("GET / HTTP/1.1\r\nHost: evil.example/.localhost\r\n\r\n", "400 Bad Request", Self.badTarget),
        ("GET http://user@one/ HTTP/1.1\r\nHost: one\r\n\r\n", "400 Bad Request", Self.badTarget),
        ("OPTIONS * HTTP/1.1\r\nHost: one\r\n\r\n", "400 Bad Request", Self.badTarget),
        ("GET ftp://one/ HTTP/1.1\r\nHost: one\r\n\r\n", "400 Bad Request", Self.badTarget),
        ("nonsense\r\n\r\n", "400 Bad Request", "the request is not valid"),
        ("GET / HTTP/1.1\r\nHost: one\r\nContent-Length: x\r\n\r\n", "400 Bad Request", "the request is not valid"),
    ])
    func answersRequestAndCloses(request: String, status: String, body: String) async throws {
        try await withServer {
            $0.body = 8
        } _: { port, _ async throws in
            let text = try await TextClient.exchange(request, port: port)
            #expect(text.hasPrefix("HTTP/1.1 \(status)\r\n") && text.hasSuffix("\r\n\r\n\(body)\n"), "\(text)")
            #expect(text.contains("\r\nContent-Length: \(body.utf8.count + 1)\r\n"), "\(text)")
            #expect(text.contains("\r\nConnection: close\r\n"), "\(text)")
            #expect(text.contains(/\r\nDate: \w{3}, \d\d \w{3} \d{4} .* GMT\r\n/), "\(text)")
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"])
    func refusesRequestWithTooManyFields(start: String) async throws {
        try await withServer {
            $0.body = 8
        } _: { port, _ async throws in
            let fields = String(repeating: "x: y\r\n", count: 100_000)
            let text = try await TextClient.exchange("\(start)\(fields)\r\n", port: port)
            #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(text)")
        }
    }

    @Test func answersHeadWithoutBody() async throws {
        try await withServer { port, _ async throws in
            let text = try await TextClient.exchange("HEAD / HTTP/1.1\r\nHost: one\r\n\r\n", port: port)
            #expect(text.contains("\r\nContent-Length: 12\r\n") && text.hasSuffix("\r\n\r\n"), "\(text)")
        }
    }

    @Test func asksForBodyOfClientThatExpectsIt() async throws {
        try await withServer {
            $0.body = 8
        } _: { port, _ async throws in
            let request = "PUT / HTTP/1.1\r\nHost: one\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody"
            let text = try await TextClient.exchange(request, port: port)
            #expect(text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"), "\(text)")
            #expect(text.hasSuffix("PUT / one body\n"), "\(text)")
        }
    }

    @Test func answersOnlyFirstOfPipelinedRequests() async throws {
        try await withServer { port, _ async throws in
            let one = "GET / HTTP/1.1\r\nHost: one\r\n\r\n"
            let text = try await TextClient.exchange(String(repeating: one, count: 1_000), port: port)
            #expect(text.split(separator: "HTTP/1.1 200 OK").count == 1, "\(text)")
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHo", "x", "GET / HTTP/9.9\r\n\r\n", "\0\0"], ["1.0", "1.1"])
    func ignoresBytesAfterFirstRequest(rest: String, version: String) async throws {
        try await withServer { port, _ async throws in
            let client = try await TextClient.connect(port: port)
            try await client.send("GET / HTTP/\(version)\r\nHost: one\r\nConnection: close\r\n\r\n\(rest)")
            await client.closeOutput()
            let text = try await client.text()
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("GET / one \n"), "\(text)")
        }
    }

    /// A client that sends no body until it is asked for one gets the final response at once.
    @Test func refusesExpectedBodyThatIsTooLong() async throws {
        try await withServer {
            $0.body = 8
        } _: { port, _ async throws in
            let request = "PUT / HTTP/1.1\r\nHost: one\r\nExpect: 100-Continue\r\nContent-Length: 9\r\n\r\n"
            let text = try await TextClient.exchange(request, port: port)
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("PUT / one too long\n"), "\(text)")
        }
    }

    /// The response does not fit into the buffers of the sockets. The client has closed its side, or reads late.
    @Test(arguments: [false, true]) func deliversWholeLargeResponse(closesOutput: Bool) async throws {
        let body = String(repeating: "x", count: 32 << 20)
        try await withServer {
            $0.sending = .seconds(600)
        } answer: { _ in
            HTTPResponse(.ok, "text/plain", body)
        } _: { port, _ async throws in
            let client = try await TextClient.connect(port: port, readsAtOnce: closesOutput)
            try await client.send("GET / HTTP/1.1\r\nHost: one\r\n\r\n")
            if closesOutput {
                await client.closeOutput()
            } else {
                // The time for which the server waits after the response is shorter.
                try await Task.sleep(for: .milliseconds(1_500))
                try await client.read()
            }
            #expect(try await client.text().utf8.count > 32 << 20)
        }
    }

    @Test func closesConnectionOfClientThatNeverReads() async throws {
        let body = String(repeating: "x", count: 32 << 20)
        try await withServer {
            $0.sending = .milliseconds(50)
        } answer: { _ in
            HTTPResponse(.ok, "text/plain", body)
        } _: { port, listener async throws in
            let client = try await TextClient.connect(port: port, readsAtOnce: false)
            try await client.send("GET / HTTP/1.1\r\nHost: one\r\n\r\n")
            await listener.stop(within: .seconds(600))
            await client.close()
        }
    }

    @Test func addsFieldsToEveryResponse() async throws {
        try await withServer { port, _ async throws in
            for request in ["GET / HTTP/1.1\r\nHost: one", "GET / HTTP/1.1", "nonsense"] {
                let text = try await TextClient.exchange("\(request)\r\n\r\n", port: port)
                #expect(text.contains("\r\nX-Test: yes\r\n"), "\(text)")
            }
        }
    }

    /// The body is larger than what fits into the buffers of both sockets, so the client is still sending when the
    /// response arrives.
    @Test func deliversResponseToClientThatStillSends() async throws {
        try await withServer { port, _ async throws in
            let body = String(repeating: "x", count: 16 << 20)
            let text = try await TextClient.exchange(
                "POST / HTTP/1.1\r\nHost: one\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", port: port)
            #expect(text.hasSuffix("POST / one too long\n"), "\(text)")
        }
    }

    @Test func answersClientThatHasClosedItsSide() async throws {
        let (asked, whenAsked) = AsyncStream<Void>.makeStream()
        let (closed, whenClosed) = AsyncStream<Void>.makeStream()
        try await withServer(answer: { request in
            whenAsked.yield()
            for await _ in closed { break }
            return await Self.echo(request)
        }) { port, _ async throws in
            let client = try await TextClient.connect(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: one\r\n\r\n")
            for await _ in asked { break }
            await client.closeOutput()
            whenClosed.yield()
            #expect(try await client.text().hasSuffix("GET / one \n"))
        }
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost:", "PUT / HTTP/1.1\r\nHost: one\r\nContent-Length: 4\r\n\r\nbod"])
    func closesConnectionWithoutCompleteRequest(text: String) async throws {
        try await withServer {
            $0.body = 8
            $0.request = .milliseconds(50)
        } _: { port, _ async throws in
            #expect(try await TextClient.exchange(text, port: port) == "")
        }
    }

    @Test func closesConnectionWithoutRequestIfThereAreTooMany() async throws {
        try await withServer {
            $0.connections = 3
        } _: { port, _ async throws in
            var idle: [TextClient] = []
            for _ in 0..<3 { idle.append(try await TextClient.connect(port: port)) }
            let text = try await TextClient.exchange("GET / HTTP/1.1\r\nHost: one\r\n\r\n", port: port)
            #expect(text.hasPrefix("HTTP/1.1 200 OK"), "\(text)")
            // The server may accept the connections in another order.
            try await eventually("one connection is closed") { idle.count { !$0.isOpen } == 1 }
            for client in idle where client.isOpen { await client.close() }
        }
    }

    @Test func answersRequestInProgressOnStop() async throws {
        let (asked, whenAsked) = AsyncStream<Void>.makeStream()
        let (stopping, whenStopping) = AsyncStream<Void>.makeStream()
        try await withServer(answer: { request in
            whenAsked.yield()
            for await _ in stopping { break }
            return await Self.echo(request)
        }) { port, listener async throws in
            let (idle, client) = (try await TextClient.connect(port: port), try await TextClient.connect(port: port))
            try await client.send("GET / HTTP/1.1\r\nHost: one\r\n\r\n")
            for await _ in asked { break }
            async let stop: Void = listener.stop(within: .seconds(60))
            #expect(try await idle.text() == "", "a connection without a request is closed first")
            whenStopping.yield()
            #expect(try await client.text().hasSuffix("GET / one \n"))
            await stop
            await #expect(throws: (any Error).self) { try await TextClient.connect(port: port) }
        }
    }

    @Test func stopsDespiteAnswerThatNeverComes() async throws {
        let (asked, whenAsked) = AsyncStream<Void>.makeStream()
        let (cancelled, whenCancelled) = AsyncStream<Void>.makeStream()
        try await withServer(answer: { request in
            whenAsked.yield()
            try? await Task.sleep(for: .seconds(600))
            whenCancelled.yield()
            return await Self.echo(request)
        }) { port, listener async throws in
            let client = try await TextClient.connect(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: one\r\n\r\n")
            for await _ in asked { break }
            await listener.stop(within: .milliseconds(10))
            #expect(try await client.text() == "")
            for await _ in cancelled { break }
        }
    }

    @Test func throwsIfPortIsInUse() async throws {
        try await withServer { port, _ async throws in
            let second = HTTPListener(
                limits: ServingLimits(), eventLoops: MultiThreadedEventLoopGroup.singleton, answer: Self.echo)
            await #expect(throws: (any Error).self) {
                _ = try await second.listen(on: Endpoint(host: "127.0.0.1", port: port))
            }
        }
    }
}
