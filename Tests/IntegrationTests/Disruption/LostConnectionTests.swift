import DeliveryPipeline
import Foundation
import PushSimulator
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport

/// A worker that loses its connections to the broker.
@Suite(.needsServers, .endsAHang)
struct LostConnectionTests {
    private static let app = "com.example.shop"

    /// The connections are lost six times while pushes are on the wire and other jobs wait. Each push takes ten
    /// seconds.
    @Test func repeatsOnlyPushesOfEndedJobsAndSuspectsNoJob() async throws {
        let mostInFlight = 60
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let port = try #require(URLComponents(string: installation.servers.broker)?.port)
            let proxy = try TCPProxy(target: UInt16(clamping: port))
            defer { proxy.stop() }
            let http = try freePort()
            let worker = try installation.startWorker([
                "amqp.url": installation.servers.broker.replacing(":\(port)", with: ":\(proxy.port)"),
                "http.listen": "127.0.0.1:\(http)", "worker.maximum_in_flight": "\(mostInFlight)",
                // The timeout is long, because a push whose answer is late on a busy machine would be retried.
                "apns.request_timeout": "300",
            ])
            defer { worker.signal(SIGKILL) }
            func connections() -> Int { worker.errors.ranges(of: "broker.connected").count }
            try await eventually("the worker starts: \(worker.errors)") { worker.errors.contains("worker.started") }
            let tokens = Token.random(Token.slow(9_999), count: 100)
            try await installation.publish(tokens.enumerated().map { JobText("job-\($0)", app: Self.app, to: [$1]) })
            try await eventually("20 are on the wire") { await installation.simulator.counters().arrivals >= 20 }
            for _ in 1...6 {
                let before = connections()
                proxy.cut()
                try await eventually("the worker reconnects: \(worker.errors)") { connections() >= before + 4 }
            }
            try await installation.results.wait(for: tokens.count)
            try await eventually("all jobs are acknowledged") {
                try await installation.waitingMessages(delays: RetryPolicy().delays).isEmpty
            }
            let page = try await Subprocess.run(["/usr/bin/curl", "-s", "http://127.0.0.1:\(http)/metrics"]).output
            #expect(page.contains(#"martlet_jobs_total{state="suspected"} 0"#), "\(page)")
            #expect(page.contains(/martlet_jobs_total\{state="resumed"\} [1-9]/), "\(page)")
            worker.signal(SIGTERM)
            #expect(try await worker.finish().status == 0)
            let arrivals = installation.simulator.recordedArrivals
            let entries = installation.results.entries
            #expect(arrivals.count == tokens.count && entries.count == tokens.count)
            #expect(entries.values.joined().allSatisfy { $0.verdict == Verdict(kind: "sent") })
            // A push is repeated only if its job had ended and the acknowledgement was lost. One of its outcomes is
            // then `redelivered`. All jobs in flight may end just before a cut, so `mostInFlight` repetitions are
            // allowed. A worker that repeated running jobs would exceed this number, because there are six cuts.
            let repeated = entries.values.reduce(0) { $0 + $1.count - 1 }
            #expect(arrivals.values.reduce(0, +) == tokens.count + repeated && repeated <= mostInFlight, "\(arrivals)")
            #expect(entries.values.allSatisfy { $0.filter { $0.outcome.redelivered != true }.count <= 1 })
            #expect(try await installation.waitingMessages(delays: RetryPolicy().delays).isEmpty)
        }
    }
}
