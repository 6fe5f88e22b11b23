import AMQPClient
import CredentialStore
import DeliveryPipeline
import PushModel
import Testing

/// What only workers write on a job is believed under their broker user alone.
@Suite struct BelievedHeaderTests {
    private static let workers = "workers"
    private static let forged: AMQPFieldTable = [
        "x-martlet-attempt": 7, "x-martlet-first-attempt-at": 1_799_999_000_000, "x-martlet-redelivered": true,
        "x-martlet-delivered-before": true, "x-martlet-part": "mine",
        "x-martlet-claim": "7e7a1c1e-9a3b-4c57-8f0e-1a2b3c4d5e6f", "x-martlet-lane": "urgent",
        "x-martlet-reason": "because", "x-martlet-publisher": "somebody else",
    ]

    private let harness = PipelineHarness(brokerUser: workers)

    private func properties(of user: String?) -> AMQPProperties {
        AMQPProperties(headers: Self.forged, messageID: "m-1", userID: user)
    }

    @Test(arguments: [nil, "a publisher", workers])
    func theHistoryOfAJobIsTheWorkersToTell(user: String?) throws {
        let isWorkers = user == Self.workers
        harness.deliver(jobBody(), properties: properties(of: user))
        let job = try harness.job(0)
        #expect(job.attempt == (isWorkers ? 7 : 1) && job.redelivered == isWorkers)
        harness.report(job, [.retry, .retry])
        let retry = try #require(harness.published.first).properties.headers
        #expect(retry["x-martlet-attempt"] == (isWorkers ? 8 : 2))
        #expect(retry["x-martlet-redelivered"] == (isWorkers ? true : nil))
        #expect(retry["x-martlet-first-attempt-at"] == .int64(isWorkers ? 1_799_999_000_000 : now.milliseconds))
    }

    /// A copy under another name would be sent, and one that comes again is no copy.
    @Test(arguments: [nil, "a publisher", workers])
    func whichJobItIsAndWhetherItCameBeforeIsTheWorkersToTell(user: String?) throws {
        let isWorkers = user == Self.workers
        harness.deliver(jobBody(more: #""at_most_once":true,"#), properties: properties(of: user))
        let batch = try #require(harness.claims.first)
        let request = try #require(batch.requests.first)
        let key = ClaimKey(
            output: "apns", app: "com.example.shop", name: isWorkers ? "mine" : "order-1", isPart: isWorkers,
            seconds: 7 * 86_400)
        #expect(request.key == key)
        #expect((request.predecessor != nil) == isWorkers && (request.content == nil) == isWorkers)
        harness.claimed(batch, fresh: [])
        harness.flush()
        #expect(try harness.outcomes().compactMap { $0["kind"] } == (isWorkers ? ["unknown", "unknown"] : []))
        #expect(harness.core.currentCounts().jobsDuplicate == (isWorkers ? 0 : 1))
    }

    /// Published again by a worker, what a stranger has written must not become a worker's word.
    @Test(arguments: [nil, "a publisher"])
    func whatIsNotBelievedIsNotSigned(user: String?) throws {
        harness.drain()
        harness.deliver(jobBody(), properties: properties(of: user))
        let moved = try #require(harness.published.first).properties
        #expect(moved.userID == Self.workers && moved.messageID == "m-1")
        #expect(moved.headers == ["x-martlet-publisher": .string(user ?? "")])
    }

    /// Of what the broker has taken out by itself, too.
    @Test func theLaneOfADroppedJobIsTheWorkersToTell() throws {
        for (user, lane) in [("a publisher", "normal"), (Self.workers, "urgent")] {
            let harness = PipelineHarness(brokerUser: Self.workers)
            var properties = properties(of: user)
            properties.headers["x-death"] = .array([.table(["reason": "expired", "queue": "q"])])
            harness.deliver([
                AMQPDelivery(
                    tag: AMQPDeliveryTag(epoch: 1, queueIndex: UInt16(JobQueue.dropped.index), number: 1),
                    isRedelivered: false, exchange: "martlet.dropped", routingKey: "suspects", properties: properties,
                    body: Array(jobBody().utf8))
            ])
            #expect(harness.moved == ["martlet.dead \(lane)"])
        }
    }

    /// Where publishers and workers share a broker user, their jobs are sent whether they name it or not.
    @Test(arguments: [nil, workers])
    func whoSharesTheWorkersUserPublishesAsBefore(user: String?) throws {
        harness.deliver(jobBody(), properties: AMQPProperties(headers: ["traceparent": "00-trace"], userID: user))
        let job = try harness.job(0)
        #expect(job.attempt == 1 && !job.redelivered && job.job.traceparent == "00-trace")
        harness.report(job, [.retry, .retry])
        let retry = try #require(harness.published.first)
        harness.deliver(String(decoding: retry.body, as: UTF8.self), number: 2, properties: retry.properties)
        #expect(try harness.job(1).attempt == 2)
    }
}
