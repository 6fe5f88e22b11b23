import Addressing
import Foundation
import Glibc
import NIOCore
import PushModel
import PushTestSupport
import TestSupport
import Testing
import Threading
import WebPushOutput
import WireTestSupport

/// Endpoints of hosts without end, which strangers made up. On one event loop, so that it has all of them.
@Suite struct ManyOriginsTests {
    private static let oneEventLoop = 16

    private func made(_ count: Int, below name: String) -> [Endpoint] {
        (0..<count).map { Endpoint(host: "o\($0).\(name)", port: 443) }
    }

    private func browsers(_ origins: [Endpoint]) -> [Browser] {
        origins.map { Browser(endpoint: "https://\($0.host):\($0.port)/1") }
    }

    /// What has found a place is within reach, and the rest waits elsewhere, without an attempt of its own.
    @Test func whatFindsNoPlaceIsPutBack() async throws {
        let isOpen = Atomic(false)
        let strange = made(8, below: "up.example.com")
        let sending = try Sending(to: strange, authorityFile: nil, allowing: ["push.example.com"]) {
            $0.maximumConnections = Self.oneEventLoop
            $0.maximumOrigins = 3
            // A busy machine takes longer than a look-up may.
            $0.connectTimeoutSeconds = 60
            $0.silenceMilliseconds = 60_000
            $0.resolve = { host, _ in
                // why: blocks, as getaddrinfo does
                while host != "push.example.com", !isOpen.load(ordering: .relaxed) { usleep(10_000) }
                return []
            }
        }
        let job = try sending.job(browsers(strange))
        sending.output.send(job, reportingTo: sending.recorder)
        await sending.recorder.wait(for: 5, atMost: .seconds(30))
        #expect(sending.recorder.outcomes.map(\.recipient) == [3, 4, 5, 6, 7])
        #expect(sending.recorder.outcomes.allSatisfy { $0.verdict == .hold && $0.reason == "TooManyOrigins" })

        // Another entry of the list has places and look-ups of its own.
        let other = await sending.send(
            try sending.job(browsers([Endpoint(host: "push.example.com", port: 443)])))
        #expect(other.map(\.verdict) == [.hold] && other.map(\.reason) == ["ConnectionFailed"])

        sending.output.cancel { $0 == job.job.id }
        await sending.recorder.wait(for: 9, atMost: .seconds(30))
        let cancelled = sending.recorder.outcomes.dropFirst(6)
        #expect(cancelled.map(\.recipient).sorted() == [0, 1, 2])
        #expect(cancelled.allSatisfy { $0.verdict == .failed && $0.reason == Outcome.cancelled })
        isOpen.store(true, ordering: .relaxed)
        await sending.output.shutDown()
    }

    /// Whoever is braked keeps its place, and whoever has nothing to do leaves it.
    @Test func aBrakeIsNotForgotten() async throws {
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
                // Its connection is closed within two seconds.
                try await eventually("the time of the brake is over") {
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

    /// It takes long to make one, and an event loop waits for it.
    @Test func thereIsOneTLSContextForAll() async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { first in
            try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { second in
                let origins = [first, second].map { Endpoint(host: "localhost", port: $0.port) }
                let file = try authorities([first, second])
                let sending = try Sending(to: origins, authorityFile: file)
                let jobs = try origins.map { try sending.job([Browser(endpoint: "https://\($0)/1")]) }
                #expect(await sending.send(jobs[0]).map(\.verdict) == [.sent])
                // Whoever made another one would miss it.
                try FileManager.default.removeItem(atPath: file)
                for job in [jobs[1], jobs[0], jobs[1]] {
                    #expect(await sending.send(job).map(\.verdict) == [.sent])
                }
                await sending.output.shutDown()
            }
        }
    }

    /// A host that never got a connection of its own is not called silent.
    @Test func whoGetsNoConnectionIsNotBlamed() async throws {
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
                try await eventually("the only connection is taken") { silent.requests.count == 1 }
                let outcomes = await sending.send(jobs[1])
                #expect(outcomes.map(\.verdict) == [.hold] && outcomes.map(\.reason) == ["TooManyConnections"])
                // It waits for a place as before, and is sent as soon as there is one.
                try await eventually("\(sending.recorder.outcomes.map(\.reason))", within: .seconds(30)) {
                    let outcomes = await sending.send(jobs[1])
                    #expect(outcomes.allSatisfy { $0.reason != "NoAnswer" })
                    return outcomes.contains { $0.verdict == .sent }
                }
                await sending.output.shutDown()
            }
        }
    }
}
