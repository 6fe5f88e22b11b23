import Foundations
import Foundation
import Glibc
import NIOCore
import PushModel
import PushTestSupport
import TestSupport
import Testing
import WebPushOutput
import WireTestSupport

/// Endpoints of many invented hosts. One event loop handles all of them.
@Suite struct ManyOriginsTests {
    private static let oneEventLoop = 16

    private func made(_ count: Int, below name: String) -> [Endpoint] {
        (0..<count).map { Endpoint(host: "o\($0).\(name)", port: 443) }
    }

    private func browsers(_ origins: [Endpoint]) -> [Browser] {
        origins.map { Browser(endpoint: "https://\($0.host):\($0.port)/1") }
    }

    /// Messages to origins beyond `maximumOrigins` are held and use no attempt. The other messages can be cancelled.
    @Test func holdsMessagesOfTooManyOrigins() async throws {
        let isOpen = Atomic(false)
        let strange = made(8, below: "up.example.com")
        let sending = try Sending(to: strange, authorityFile: nil, allowing: ["push.example.com"]) {
            $0.maximumConnections = Self.oneEventLoop
            $0.maximumOrigins = 3
            // On a busy machine, a look-up may exceed the default timeout.
            $0.connectTimeoutSeconds = 60
            $0.silenceMilliseconds = 60_000
            $0.resolve = { host, _ in
                // why: the resolver may block, as getaddrinfo does.
                while host != "push.example.com", !isOpen.load(ordering: .relaxed) { usleep(10_000) }
                return []
            }
        }
        let job = try sending.job(browsers(strange))
        sending.output.send(job, reportingTo: sending.recorder)
        await sending.recorder.wait(for: 5)
        #expect(sending.recorder.outcomes.map(\.recipient) == [3, 4, 5, 6, 7])
        #expect(sending.recorder.outcomes.allSatisfy { $0.verdict == .hold && $0.reason == "TooManyOrigins" })

        // Each entry of the list of allowed hosts has its own limit of origins and its own look-ups.
        let other = await sending.send(
            try sending.job(browsers([Endpoint(host: "push.example.com", port: 443)])))
        #expect(other.map(\.verdict) == [.hold] && other.map(\.reason) == ["ConnectionFailed"])

        sending.output.cancel { $0 == job.job.id }
        await sending.recorder.wait(for: 9)
        let cancelled = sending.recorder.outcomes.dropFirst(6)
        #expect(cancelled.map(\.recipient).sorted() == [0, 1, 2])
        #expect(cancelled.allSatisfy { $0.verdict == .failed && $0.reason == Outcome.cancelled })
        isOpen.store(true, ordering: .relaxed)
        await sending.output.shutDown()
    }

    /// A paused origin counts toward `maximumOrigins`. Once the limit is reached, idle origins are removed.
    @Test func keepsPausedOriginUntilPauseEnds() async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 429, fields: ["retry-after": "3"]) }) { busy in
            try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { good in
                let origins = [busy, good].map { Endpoint(host: "localhost", port: $0.port) }
                let sending = try Sending(to: origins, authorityFile: try authorities([busy, good])) {
                    $0.maximumConnections = Self.oneEventLoop
                    $0.maximumOrigins = 1
                    $0.idleSeconds = 0
                }
                let toBusy = try sending.job((0..<10).map { Browser(endpoint: "https://\(origins[0])/\($0)") })
                let toGood = try sending.job([Browser(endpoint: "https://\(origins[1])/1")])
                let began = ContinuousClock.now
                await sending.send(toBusy)
                // The connection to the busy origin is closed within two seconds.
                try await eventually("the pause ends and the place becomes free") {
                    let outcomes = await sending.send(toGood)
                    if outcomes.map(\.verdict) == [.sent] { return true }
                    #expect(outcomes.map(\.reason) == ["TooManyOrigins"])
                    return false
                }
                #expect(ContinuousClock.now - began > .seconds(2))
                #expect(busy.requests.count == 10)
                await sending.output.shutDown()
            }
        }
    }

    /// Creating a TLS context is slow and blocks the event loop.
    @Test func sharesTLSContextBetweenOrigins() async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { first in
            try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { second in
                let origins = [first, second].map { Endpoint(host: "localhost", port: $0.port) }
                let file = try authorities([first, second])
                let sending = try Sending(to: origins, authorityFile: file)
                let jobs = try origins.map { try sending.job([Browser(endpoint: "https://\($0)/1")]) }
                #expect(await sending.send(jobs[0]).map(\.verdict) == [.sent])
                // Creating a second context fails if this file is missing.
                try FileManager.default.removeItem(atPath: file)
                for job in [jobs[1], jobs[0], jobs[1]] {
                    #expect(await sending.send(job).map(\.verdict) == [.sent])
                }
                await sending.output.shutDown()
            }
        }
    }

    /// A host that never got a connection must not count as silent.
    @Test func reportsTooManyConnectionsInsteadOfSilence() async throws {
        try await ScriptedServer.with(answer: { _ in nil }) { silent in
            try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { good in
                let origins = [silent, good].map { Endpoint(host: "localhost", port: $0.port) }
                let sending = try Sending(to: origins, authorityFile: try authorities([silent, good])) {
                    $0.maximumConnections = 1
                    $0.silenceMilliseconds = 2_000
                    $0.requestTimeoutSeconds = 8
                }
                let jobs = try origins.map { try sending.job([Browser(endpoint: "https://\($0)/1")]) }
                sending.output.send(jobs[0], reportingTo: sending.recorder)
                try await eventually("the only connection is in use") { silent.requests.count == 1 }
                let outcomes = await sending.send(jobs[1])
                #expect(outcomes.map(\.verdict) == [.hold] && outcomes.map(\.reason) == ["TooManyConnections"])
                // The next message waits for a connection, too, and is sent as soon as one is free.
                try await eventually("message sent: \(sending.recorder.outcomes.map(\.reason))") {
                    let outcomes = await sending.send(jobs[1])
                    #expect(outcomes.allSatisfy { $0.reason != "NoAnswer" })
                    return outcomes.contains { $0.verdict == .sent }
                }
                await sending.output.shutDown()
            }
        }
    }
}
