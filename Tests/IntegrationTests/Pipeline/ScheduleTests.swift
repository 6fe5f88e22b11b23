import APNSSimulator
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import TestTraits
import Testing

@Suite(.needsServers)
struct ScheduleTests {
    private static let app = "com.example.shop"

    @Test func sendsJobAtScheduledTime() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await InProcessWorker.run(in: installation) { worker in
                let due = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down) + 12)
                let more = #","send_at":\#(Int(due.timeIntervalSince1970))"#
                try await installation.publish([JobText("later", app: Self.app, to: Token.random(count: 3), more: more)]
                )
                // If the machine stalls until the job is due, the worker sends the job without delaying it.
                try await eventually("scheduled: \(worker.counts)") { worker.counts.jobsScheduled > 0 || Date() >= due }
                #expect(installation.simulator.recordedArrivals.isEmpty || Date() >= due)
                try await installation.results.wait(for: 3)
                for outcome in installation.results.entries.values.flatMap({ $0 }).map(\.outcome) {
                    let at = try #require(Timestamp(rfc3339: outcome.at))
                    #expect(at.milliseconds >= Int64(due.timeIntervalSince1970 * 1000), "\(outcome.at)")
                    #expect(outcome.attempts == 1)
                }
            }
            #expect(installation.results.tally == ["sent": 3])
            #expect(try await installation.waitingMessages(delays: []).isEmpty)
        }
    }

    @Test func doesNotSendCancelledJob() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await InProcessWorker.run(in: installation) { worker in
                let more = #","send_at":\#(Int(Date().timeIntervalSince1970) + 30)"#
                let jobs = ["one", "other"].map {
                    JobText($0, app: Self.app, to: Token.random(count: 2), more: more)
                }
                try await installation.publish(jobs)
                try await eventually("both jobs are scheduled: \(worker.counts)") { worker.counts.jobsScheduled >= 2 }
                let cancelled = try await installation.martlet(["job", "cancel", "one"])
                #expect(cancelled.output == "cancelled job one\n", "\(cancelled)")
                let repeated = try await installation.martlet(["job", "cancel", "one"])
                #expect(repeated.output == "job one was already cancelled\n", "\(repeated)")
                try await installation.results.wait(for: 4)
            }
            #expect(installation.results.tally == ["sent": 2, "failed Cancelled": 2])
            #expect(Set(installation.simulator.recordedArrivals.values) == [1])
            #expect(installation.simulator.recordedArrivals.count == 2)
        }
    }
}
