import Foundation
import PushSimulator
import SimulatorTestSupport
import TestSupport
import Testing

/// HTTP/1.1 and HTTP/2 on one port, tested with curl. Rules, faults and records are the same for both.
@Suite struct HTTP1Tests {
    /// Runs `curl` with `arguments` and returns its output.
    private func curl(
        _ simulator: SimulatedService<ToyDouble>, _ arguments: [String], path: String = "/toy/bear"
    ) async throws -> Subprocess.Finished {
        let authority = FileManager.default.temporaryDirectory.appending(path: "toys-\(UUID().uuidString).pem")
        try Data(simulator.caCertificatePEM.utf8).write(to: authority)
        defer { try? FileManager.default.removeItem(at: authority) }
        return try await Subprocess.run(
            [
                "/usr/bin/curl", "--silent", "--show-error", "--max-time", "20", "--cacert", authority.path,
                "--write-out", "[%{http_version} %{http_code} %{num_connects}]",
            ] + arguments + ["https://localhost:\(simulator.port)\(path)"])
    }

    private static let post = ["--http1.1", "--data", "bear"]

    @Test func usesProtocolThatClientChooses() async throws {
        try await withToys { simulator, _ in
            #expect(try await curl(simulator, ["--http2", "--data", "bear"]).output == "[2 200 1]")
            #expect(try await curl(simulator, Self.post).output == "[1.1 200 1]")
            #expect(try await curl(simulator, Self.post + ["--no-alpn"]).output == "[1.1 200 1]")
            #expect(try await curl(simulator, ["--http1.1"]).output == "sorry: no toy[1.1 404 1]")
            #expect(try await curl(simulator, ["--http1.1", "--head"]).output.contains("HTTP/1.1 404 Not Found"))
            #expect(try await curl(simulator, ["--http1.0", "--data", "bear"]).output == "[1.1 200 1]")
            let counters = await simulator.counters()
            #expect(counters.arrivals == 6 && counters.byStatus == [200: 4, 404: 2], "\(counters)")
            try await eventually("all connections closed") { await simulator.counters().openConnections == 0 }
        }
    }

    @Test func servesManyRequestsOnOneConnection() async throws {
        try await withToys { simulator, _ in
            simulator.isRecording = true
            let url = "https://localhost:\(simulator.port)/toy/doll"
            let ended = try await curl(simulator, Self.post + ["--header", "Shop: toys", url, url])
            #expect(ended.output == "[1.1 200 1][1.1 200 0][1.1 200 0]", "\(ended)")
            #expect(simulator.recordedAcceptances == ["doll": 2, "bear": 1])
            let fields = try #require(simulator.recordedRequests.first?.fields)
            #expect(fields["shop"] == "toys" && fields["content-length"] == "4" && fields["host"] == nil)
            let last = try await curl(simulator, Self.post + ["--header", "Connection: close", url])
            #expect(last.output == "[1.1 200 1][1.1 200 1]", "\(last)")
        }
    }

    @Test func receivesLongBodiesChunkedOrAfter100Continue() async throws {
        try await withToys { simulator, _ in
            simulator.isRecording = true
            // The body is larger than a stream window, and large enough that curl asks before it sends the body.
            let body = FileManager.default.temporaryDirectory.appending(path: "toys-\(UUID().uuidString)")
            try Data(repeating: 0x61, count: 200_000).write(to: body)
            defer { try? FileManager.default.removeItem(at: body) }
            for fields in [["Expect: 100-continue"], ["Transfer-Encoding: chunked"]] {
                let ended = try await curl(
                    simulator,
                    ["--http1.1", "--verbose", "--data-binary", "@\(body.path)"] + fields.flatMap { ["--header", $0] },
                    path: "/toys")
                #expect(ended.output == "[1.1 201 1]", "\(ended)")
                if fields[0].hasPrefix("Expect") { #expect(ended.errors.contains("HTTP/1.1 100 Continue")) }
            }
            #expect(simulator.recordedRequests.map(\.payload.utf8.count) == [10_000, 10_000])
        }
    }

    @Test func appliesSameFaultsAsToHTTP2Streams() async throws {
        try await withToys { simulator, _ in
            for word in ["reset", "cut"] {
                simulator.answerNext(1, with: ToyAnswer(word: word))
                let ended = try await curl(simulator, Self.post)
                #expect(ended.status != 0 && ended.output.hasSuffix(" 000 1]"), "\(ended)")
            }
            simulator.refuseStreams(1)
            #expect(try await curl(simulator, Self.post).output.hasSuffix(" 000 1]"))
            simulator.answerNext(1, with: ToyAnswer(word: "last"))
            let last = try await curl(simulator, Self.post)
            #expect(last.output == "sorry: last[1.1 200 1]", "\(last)")
            simulator.answerNext(1, with: ToyAnswer(status: 503, word: "slow", delayMilliseconds: 50))
            #expect(try await curl(simulator, Self.post).output == "sorry: slow[1.1 503 1]")
            #expect(await simulator.counters().withheld == 2)
        }
    }

    @Test func rejectsAndCountsMalformedRequests() async throws {
        try await withToys { simulator, _ in
            let ended = try await curl(simulator, Self.post + ["--header", "Host;"])
            #expect(ended.output.contains(" 400 "), "\(ended)")
            let long = try await curl(simulator, Self.post + ["--header", "Content-Length: 4x"])
            #expect(long.output.contains(" 400 "), "\(long)")
            let counters = await simulator.counters()
            #expect(counters.malformedRequests == 2 && counters.arrivals == 0, "\(counters)")
        }
    }
}
