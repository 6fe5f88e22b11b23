import APNSSimulator
import PushModel
import TestSupport
import TestTraits
import Testing

@Suite(.needsServers, .endsAHang)
struct CancelTests {
    private static let app = "com.example.shop"

    /// A campaign in parts that share an id, all taken in by a worker whose way out is narrow: it would take 40 s.
    @Test func whatIsNotOnTheWireFiveSecondsLaterIsNotSent() async throws {
        try await Installation.with(simulator: { $0.streamLimit = 20 }) { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.withWorker(["apns.maximum_connections": "2"]) { worker in
                let parts = (0..<12).map { _ in
                    JobText("campaign", app: Self.app, to: Token.random(Token.slow(250), count: 500))
                }
                try await installation.publish(parts + [JobText("other", app: Self.app, to: Token.random(count: 100))])
                try await eventually(worker.errors) { await installation.simulator.counters().arrivals > 100 }
                let cancelled = try await installation.martlet(["job", "cancel", "campaign"])
                #expect(cancelled.output == "cancelled job campaign\n", "\(cancelled)")
                #expect(cancelled.errors == "1 worker knows it within 5 seconds\n")
                // The promise itself.
                try await Task.sleep(for: .seconds(5))
                let arrivals = await installation.simulator.counters().arrivals
                try await installation.results.wait(for: 6_100)
                #expect(await installation.simulator.counters().arrivals == arrivals, "none later than that")
                #expect(installation.results.tally == ["sent": arrivals, "failed Cancelled": 6_100 - arrivals])
                #expect(arrivals < 4_000, "it came too late to show anything")
                let sent = installation.results.entries.filter { $0.key.job == "other" }
                #expect(sent.values.allSatisfy { $0.map(\.verdict) == [Verdict(kind: "sent")] } && sent.count == 100)
            }
            #expect(try await installation.waitingMessages(delays: []).isEmpty)
        }
    }
}
