import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Routing
import Testing

/// The choice of waiting queues for the jobs of apps that flood a lane.
@Suite struct WaitingQueueTests {
    private static let apps = (0..<40).map {
        App(bundleID: "com.example.app-\($0)", accounts: ["apns": AppAccount("TEAM000001")])
    }

    private let harness = PipelineHarness(apps: apps, maximumInFlight: 8) {
        $0.limits.appShare = 50
        $0.prefetch = [.urgent: 10, .normal: 10, .bulk: 10]
    }

    /// Delivers ten jobs of an app, of which most must move.
    private func flood(_ app: Int, lane: Lane = .normal, number: UInt64) {
        harness.deliver(
            (0..<10).map {
                .sample(jobBody("\(app)-\(number + $0)", app: Self.apps[app].bundleID), number: number + $0, lane: lane)
            })
    }

    /// Returns the routing keys with which jobs of an app were moved to waiting queues.
    private func keys(_ app: Int) -> Set<String> {
        let name = Self.apps[app].bundleID
        return Set(
            harness.waiting.filter { String(decoding: $0.body, as: UTF8.self).contains("\"\(name)\"") }.map(
                \.routingKey))
    }

    @Test func representsEachQueueInSet() {
        #expect(JobQueue.all.count <= QueueSet.most)
        var set = QueueSet()
        for queue in JobQueue.all.reversed() { set.insert(queue) }
        #expect(set.queues == JobQueue.all)
        set.remove(.lane(.normal))
        #expect(!set.contains(.lane(.normal)) && set.contains(.dropped) && set.queues.count == JobQueue.all.count - 1)
    }

    @Test func assignsSeparateQueueToEachFloodingApp() {
        for app in 0..<3 { flood(app, number: UInt64(100 * app)) }
        let all = (0..<3).map(keys)
        #expect(all.allSatisfy { $0.count == 1 }, "\(all)")
        #expect(Set(all).count == 3, "\(all)")
    }

    /// An app's jobs must not wait behind another app that may send nothing for a long time.
    @Test func delaysJobsOfAppsWithoutFreeQueue() throws {
        for app in Self.apps.indices { flood(app, number: UInt64(100 * app)) }
        let all = Self.apps.indices.map(keys).filter { !$0.isEmpty }
        #expect(all.allSatisfy { $0.count == 1 } && Set(all).count == all.count, "\(all)")
        let delayed = harness.published.filter { $0.exchange == "martlet.delay.1" }
        #expect(!delayed.isEmpty && delayed.allSatisfy { $0.routingKey == "normal.returned" })
        // The delay grows with the time that the job has waited.
        let again = try #require(delayed.last)
        var properties = again.properties
        properties.headers["x-martlet-paced"] = 60
        let body = String(decoding: again.body, as: UTF8.self)
        harness.deliver((9_000..<9_003).map { .sample(body, number: $0, properties: properties) })
        #expect(
            harness.published.contains {
                $0.exchange == "martlet.delay.30" && $0.properties.headers["x-martlet-paced"] == 90
            })
    }

    @Test(arguments: Lane.allCases) func movesJobToWaitingQueueOfSameLane(lane: Lane) {
        flood(0, lane: lane, number: 1)
        #expect(keys(0).allSatisfy { $0.hasPrefix("\(lane.rawValue).waiting.") } && !keys(0).isEmpty)
    }

    @Test func avoidsQueueWithJobsOfAnotherApp() throws {
        flood(0, number: 1)
        let first = try #require(keys(0).first)
        let number = try #require(Int(first.split(separator: ".")[2]))
        // Another worker has moved jobs of another app to the queue.
        let harness = PipelineHarness(apps: Self.apps, maximumInFlight: 8) {
            $0.limits.appShare = 50
            $0.prefetch = [.urgent: 10, .normal: 10, .bulk: 10]
        }
        harness.deliver([
            .sample(jobBody("other", app: Self.apps[1].bundleID), number: 1, from: .waiting(.normal, number))
        ])
        harness.deliver(
            (0..<10).map { .sample(jobBody("mine-\($0)", app: Self.apps[0].bundleID), number: 10 + $0, lane: .normal) })
        #expect(!harness.waiting.isEmpty && harness.waiting.allSatisfy { $0.routingKey != first })
    }
}
