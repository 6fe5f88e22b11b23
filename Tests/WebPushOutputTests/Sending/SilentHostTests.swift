import Foundations
import NIOCore
import PushModel
import PushTestSupport
import TestSupport
import Testing
import WebPushOutput
import WireTestSupport

/// A host that accepts connections and requests but sends no answers.
@Suite struct SilentHostTests {
    /// The first opening of the breaker lasts 5 s. A message waits in the worker for the last 5 s of an opening, so
    /// only a longer opening holds a message in the broker.
    @Test func opensBreakerForLongerAfterLostProbe() async throws {
        let accepts = Atomic(false)
        let refusing = try RefusingPort()
        try await ScriptedServer.with(answer: { _ in nil }) { silent in
            let origin = Endpoint(host: "localhost", port: silent.port)
            let sending = try Sending(to: [origin], authorityFile: silent.authorityFile) {
                // With 16 connections, one event loop handles all messages.
                $0.maximumConnections = 16
                $0.requestTimeoutSeconds = 1
                // The limit is longer than the test, so only a lost probe can open the breaker.
                $0.silenceMilliseconds = 3_600_000
                $0.resolve = { _, _ in
                    let port = accepts.load(ordering: .relaxed) ? silent.port : refusing.port
                    return [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
                }
            }
            let job = try sending.job([Browser(endpoint: "https://\(origin)/1")])
            #expect(await sending.send(job).map(\.reason) == ["ConnectionFailed"])
            accepts.store(true, ordering: .relaxed)
            try await eventually("a probe is lost") { await sending.send(job).map(\.verdict) == [.unknown] }
            try await eventually("a message is held: \(sending.recorder.outcomes.suffix(5).map(\.reason))") {
                let outcome = await sending.send(job).first
                return outcome?.verdict == .hold && outcome?.reason == "NoAnswer"
            }
            await sending.output.shutDown()
        }
    }

    @Test func opensBreakerAfterTimeoutsOfThreeJobs() async throws {
        try await ScriptedServer.with(answer: { _ in nil }) { silent in
            let origin = Endpoint(host: "localhost", port: silent.port)
            let sending = try Sending(to: [origin], authorityFile: silent.authorityFile) {
                $0.requestTimeoutSeconds = 1
                // The limit is longer than the test, so only timeouts can open the breaker.
                $0.silenceMilliseconds = 3_600_000
            }
            let browser = Browser(endpoint: "https://\(origin)/1")
            func verdict(ofJob id: String) async throws -> Outcome.Verdict? {
                await sending.send(try sending.job([browser], #""id":"\#(id)""#)).first?.verdict
            }
            for _ in 0..<4 { #expect(try await verdict(ofJob: "hangs") == .unknown) }
            for id in ["2", "3"] { #expect(try await verdict(ofJob: id) == .unknown) }
            try await eventually("a job is held") { try await verdict(ofJob: "4") == .hold }
            await sending.output.shutDown()
        }
    }
}
