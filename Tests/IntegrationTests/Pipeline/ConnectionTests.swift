import APNSSimulator
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import TestTraits
import Testing

/// Connections that APNs limits, closes or loses during a campaign.
@Suite(.needsServers)
struct ConnectionTests {
    private static let app = "com.example.shop"

    @Test func survivesGOAWAYWithoutLossOrDuplicates() async throws {
        try await Installation.with(simulator: { $0.streamLimit = 100 }) { installation in
            try await installation.addTokenApp(Self.app)
            let tokens = Token.random(Token.slow(100), count: 3_000)
            let simulator = installation.simulator
            try await InProcessWorker.run(in: installation) { worker in
                try await installation.publish([JobText("campaign", app: Self.app, to: tokens)], lane: .bulk)
                for (arrivals, fault) in [
                    (300, GoAwayFault()), (900, GoAwayFault(reason: "Shutdown", announcesFirst: true)),
                    (1_800, GoAwayFault(code: 11)),
                ] {
                    try await eventually("\(worker.counts)") { await simulator.counters().arrivals >= arrivals }
                    await simulator.sendGoAway(fault)
                }
                try await installation.results.wait(for: tokens.count)
                #expect(worker.counts.retries == 0)
            }
            let entries = installation.results.entries
            #expect(entries.count == tokens.count)
            #expect(entries.values.allSatisfy { $0.map(\.verdict) == [Verdict(kind: "sent")] })
            #expect(simulator.recordedArrivals == Dictionary(uniqueKeysWithValues: tokens.map { ($0, 1) }))
            #expect(await simulator.counters().connections >= 4)
        }
    }

    @Test func survivesServerRestartWithoutLoss() async throws {
        let port = try freePort()
        try await Installation.with(simulator: {
            $0.port = port
            $0.streamLimit = 20
        }) { installation in
            try await installation.addCertificateApp(Self.app)
            let tokens = Token.random("", count: 2_000)
            let simulator = installation.simulator
            try await InProcessWorker.run(in: installation, maximumConnections: 1) { worker in
                let first = JobText("campaign", app: Self.app, to: Array(tokens[..<500]))
                let second = JobText("campaign", app: Self.app, to: Array(tokens[500...]))
                try await installation.publish([first], lane: .bulk)
                try await installation.results.wait(for: 500)
                // The pushes on the wire have no answer when the server stops.
                var silence = StandingFaults()
                silence.silence = .answers
                await simulator.setFaults(silence)
                try await installation.publish([second], lane: .bulk)
                try await eventually("no answer yet: \(worker.counts)") { await simulator.counters().withheld > 1 }
                await simulator.stop()
                try await eventually("pushes are retried: \(worker.counts)") { worker.counts.retries > 0 }
                await simulator.setFaults(StandingFaults())
                try await simulator.start()
                try await installation.results.wait(for: tokens.count)
                try await eventually("all jobs are settled: \(worker.counts)") { worker.counts.jobsOpen == 0 }
            }
            let entries = installation.results.entries
            #expect(entries.count == tokens.count)
            #expect(entries.values.allSatisfy { $0.map(\.verdict) == [Verdict(kind: "sent")] })
            for (token, arrivals) in simulator.recordedArrivals where arrivals > 1 {
                let outcome = entries[Addressee(job: "campaign", token: token)]?.first?.outcome
                #expect(outcome?.redelivered == true, "\(token) arrived \(arrivals) times")
            }
            #expect(try await installation.waitingMessages().isEmpty)
        }
    }

    @Test func repeatsUnansweredPushesUnlessAtMostOnce() async throws {
        try await Installation.with { installation in
            try await installation.addCertificateApp(Self.app)
            let (once, again) = (Token.random(Token.never, count: 5), Token.random(Token.never, count: 5))
            let simulator = installation.simulator
            try await InProcessWorker.run(in: installation) { worker in
                try await installation.publish([
                    JobText("once", app: Self.app, to: once, more: #","at_most_once":true"#),
                    JobText("again", app: Self.app, to: again),
                ])
                try await eventually("no answers yet: \(worker.counts)") { await simulator.counters().withheld == 10 }
                for token in once + again { simulator.setAnswer(.accepted, forToken: token) }
                await simulator.cutConnections()
                try await installation.results.wait(for: 10)
                try await eventually("all jobs are settled: \(worker.counts)") { worker.counts.jobsOpen == 0 }
            }
            #expect(installation.results.tally == ["unknown ConnectionLost": 5, "sent": 5])
            for token in again {
                let outcome = installation.results.entries[Addressee(job: "again", token: token)]?.first?.outcome
                #expect(outcome?.attempts == 2)
                #expect(outcome?.redelivered == true)
            }
            let arrivals = simulator.recordedArrivals
            #expect(once.allSatisfy { arrivals[$0] == 1 } && again.allSatisfy { arrivals[$0] == 2 })
        }
    }

    @Test func opensNoMoreStreamsThanServerAllows() async throws {
        try await Installation.with(simulator: { $0.streamLimit = 7 }) { installation in
            try await installation.addTokenApp(Self.app)
            let simulator = installation.simulator
            try await InProcessWorker.run(in: installation, maximumConnections: 1) { worker in
                let first = Token.random(Token.slow(10), count: 200)
                try await installation.publish([JobText("seven", app: Self.app, to: first)])
                try await installation.results.wait(for: 200)
                #expect(await simulator.counters().mostOpenStreams == 7)
                await simulator.changeStreamLimit(to: 40)
                let second = Token.random(Token.slow(10), count: 400)
                try await installation.publish([JobText("forty", app: Self.app, to: second)])
                try await installation.results.wait(for: 600)
                // The simulator's HTTP/2 library disconnects a client that exceeds the stream limit. A tenth of the
                // streams is reserved for urgent jobs.
                let counters = await simulator.counters()
                #expect(counters.mostOpenStreams == 36)
                #expect(counters.connections == 1)
                #expect(counters.arrivals == 600)
                #expect(worker.counts.retries == 0)
            }
        }
    }

    @Test func opensOneStreamUntilProviderTokenIsAccepted() async throws {
        // The server allows more streams, so the limit must come from the client.
        try await Installation.with(simulator: { $0.unauthenticatedStreamLimit = 1_000 }) { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.addCertificateApp("com.example.news")
            let simulator = installation.simulator
            let first = Token.random(Token.never)
            try await InProcessWorker.run(in: installation, maximumConnections: 1) { worker in
                let tokens = [first] + Token.random(Token.slow(20), count: 100)
                try await installation.publish([JobText("held up", app: Self.app, to: tokens)])
                try await eventually("no answer yet: \(worker.counts)") { await simulator.counters().withheld == 1 }
                let others = Token.random(count: 100)
                try await installation.publish([JobText("not held up", app: "com.example.news", to: others)])
                try await installation.results.wait(for: 100)
                #expect(await simulator.counters().arrivals == 101)
                #expect(await simulator.counters().openStreams == 1)
                simulator.setAnswer(.accepted, forToken: first)
                await simulator.cutConnections()
                try await installation.results.wait(for: 201)
                #expect(await simulator.counters().mostOpenStreams > 1)
            }
            #expect(installation.results.tally == ["sent": 201])
        }
    }
}
