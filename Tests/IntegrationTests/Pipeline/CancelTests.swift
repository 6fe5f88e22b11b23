import APNSSimulator
import PushModel
import TestSupport
import TestTraits
import Testing

@Suite(.needsServers, .endsAHang)
struct CancelTests {
    private static let app = "com.example.shop"

    /// A campaign in parts that share an id. The worker has received all of it, and would need 150 s to send it.
    @Test func stopsSendingCancelledJob() async throws {
        try await Installation.with(simulator: { $0.streamLimit = 20 }) { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.withWorker(["apns.maximum_connections": "2"]) { worker in
                let parts = (0..<12).map { _ in
                    JobText("campaign", app: Self.app, to: Token.random(Token.slow(1_000), count: 500))
                }
                try await installation.publish(parts + [JobText("other", app: Self.app, to: Token.random(count: 100))])
                try await eventually(worker.errors) { await installation.simulator.counters().arrivals > 100 }
                let cancelled = try await installation.martlet(["job", "cancel", "campaign"])
                #expect(cancelled.output == "cancelled job campaign\n", "\(cancelled)")
                #expect(cancelled.errors == "the change applies within 5 seconds in 1 worker\n")
                try await eventually("the worker applies the cancellation: \(installation.results.tally)") {
                    installation.results.tally["failed Cancelled"] != nil
                }
                let known = await installation.simulator.counters().arrivals
                try await installation.results.wait(for: 6_100)
                let arrivals = await installation.simulator.counters().arrivals
                // Three kinds of pushes may still arrive: those on the streams of both connections, those written in
                // the event loop's last turn before the cancellation took effect, and those of the other job.
                #expect(arrivals <= known + 2 * (20 + 20) + 100)
                #expect(installation.results.tally == ["sent": arrivals, "failed Cancelled": 6_100 - arrivals])
                let sent = installation.results.entries.filter { $0.key.job == "other" }
                #expect(sent.values.allSatisfy { $0.map(\.verdict) == [Verdict(kind: "sent")] } && sent.count == 100)
            }
            #expect(try await installation.waitingMessages(delays: []).isEmpty)
        }
    }
}
