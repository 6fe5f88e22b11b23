import Foundations
import PushModel
import PushTestSupport
import TestSupport
import Testing
import WebPushOutput
import WireTestSupport

/// The effects of one app's messages on those of other apps to the same service. One event loop handles all messages.
@Suite struct TwoKeysTests {
    private func answering(
        _ answer: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Answer?,
        _ body: (_ origin: Endpoint, ScriptedServer, Sending) async throws -> Void
    ) async throws {
        try await ScriptedServer.with(answer: answer) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile) { $0.maximumConnections = 16 }
            try await body(origin, server, sending)
            await sending.output.shutDown()
        }
    }

    private func send(
        _ count: Int, to origin: Endpoint, _ sending: Sending, with credential: Credential? = nil
    ) async throws -> [Outcome] {
        let job = try sending.job((0..<count).map { Browser(endpoint: "https://\(origin)/\($0)") })
        return await sending.send(RoutedJob(job.job, credential: credential ?? sending.credential))
    }

    @Test func pausesOnlyKeyThatSendsTooMuch() async throws {
        let greedy = Mutex<[String]>([])
        try await answering { request in
            let key = request.fields["authorization"].map { String($0.suffix(87)) } ?? ""
            let isGreedy = greedy.withLock { $0.contains(key) }
            return isGreedy ? .init(status: 429, fields: ["retry-after": "60"]) : .init(status: 201)
        } _: { origin, server, sending in
            let keys = try (1...3).map { try Sending.credential(id: "\($0)") }
            greedy.withLock { $0 = [keys[0].publicKey] }
            let refused = try await send(10, to: origin, sending, with: keys[0].credential)
            #expect(
                refused.allSatisfy { $0.verdict == ($0.status == 429 ? .retry : .hold) && $0.reason == "Status429" })
            let asked = server.requests.count
            let late = try await send(10, to: origin, sending, with: keys[0].credential)
            #expect(late.allSatisfy { $0.verdict == .hold && $0.status == 0 } && server.requests.count == asked)
            let others = try await send(10, to: origin, sending, with: keys[1].credential)
            #expect(others.allSatisfy { $0.verdict == .sent })

            // If two keys are refused, the service itself is overloaded.
            greedy.withLock { $0 += [keys[1].publicKey] }
            _ = try await send(10, to: origin, sending, with: keys[1].credential)
            let third = try await send(10, to: origin, sending, with: keys[2].credential)
            #expect(third.allSatisfy { $0.verdict == .hold && $0.reason == "Status429" && $0.status == 0 })
        }
    }

    @Test func pausesAllKeysOfUnavailableService() async throws {
        try await answering { _ in
            .init(status: 503, fields: ["retry-after": "60"])
        } _: { origin, server, sending in
            _ = try await send(10, to: origin, sending)
            let asked = server.requests.count
            let other = try await send(3, to: origin, sending, with: try Sending.credential(id: "other").credential)
            #expect(other.allSatisfy { $0.verdict == .hold && $0.reason == "Status503" && $0.status == 0 })
            #expect(server.requests.count == asked)
        }
    }

    /// A service that judges the subscription or the message has accepted the sender's key.
    @Test(arguments: [404, 410, 413]) func treatsAnswerAboutMessageAsAcceptanceOfKey(status: Int) async throws {
        let isRefused = Atomic(true)
        try await answering { _ in
            isRefused.load(ordering: .relaxed) ? .reason(403, "BadJwtToken") : .init(status: status)
        } _: { origin, _, sending in
            #expect(try await send(1, to: origin, sending).map(\.verdict) == [.hold])
            isRefused.store(false, ordering: .relaxed)
            try await eventually("the key is tried again") {
                try await send(1, to: origin, sending).map(\.status) == [status]
            }
            #expect(try await send(3, to: origin, sending).map(\.status) == [status, status, status])
            guard case .ended = sending.refusals.last else {
                Issue.record("the refusal has not ended: \(sending.refusals)")
                return
            }
        }
    }

    /// The probe is an invalid message, which is rejected before it is sent.
    @Test func sendsNextMessageAfterProbeIsRejectedLocally() async throws {
        let isRefused = Atomic(true)
        try await answering { _ in
            isRefused.load(ordering: .relaxed) ? .reason(403, "BadJwtToken") : .init(status: 201)
        } _: { origin, _, sending in
            #expect(try await send(1, to: origin, sending).map(\.verdict) == [.hold])
            isRefused.store(false, ordering: .relaxed)
            let bad = try Job.read(
                Job.sampleText(recipients: #"[{"subscription":{"endpoint":"https://\#(origin)/bad","keys":{}}}]"#))
            try await eventually("the invalid message becomes the probe") {
                await sending.send(RoutedJob(bad, credential: sending.credential)).map(\.reason)
                    == ["MissingSubscriptionKeys"]
            }
            #expect(try await send(1, to: origin, sending).map(\.verdict) == [.sent])
        }
    }

    /// Over HTTP/1.1, a connection may end in the middle of an answer.
    @Test func reportsSentIfBodyOfAcceptanceIsCut() async throws {
        try await HTTP1Server.with { _ in
            .end("HTTP/1.1 201 Created\r\nlocation: https://push.example/m/1\r\ncontent-length: 9\r\n\r\ncut")
        } _: { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile)
            let outcomes = try await send(1, to: origin, sending)
            #expect(outcomes.map(\.verdict) == [.sent] && outcomes.first?.providerID != nil)
            #expect(server.requests.count == 1)
            await sending.output.shutDown()
        }
    }
}
