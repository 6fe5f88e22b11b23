import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Testing

/// Jobs whose connection is lost so often that they reach the delivery limit of their queue. The broker drops them
/// while this worker still processes them.
@Suite struct DeliveryLimitTests {
    private static let lost = AMQPConsumerEvent.disconnected(AMQPError(.connectionLost, "gone"))

    private func orphaned(_ delivery: AMQPDelivery) -> PipelineHarness {
        let harness = PipelineHarness()
        harness.consumer(.connected(queues: []))
        harness.deliver([delivery])
        harness.consumer(Self.lost)
        harness.consumer(.connected(queues: []))
        return harness
    }

    private func finish(_ harness: PipelineHarness) throws {
        harness.report(try harness.job(0), [.sent, .sent])
        harness.confirmAllEvents()
    }

    private func dead(_ harness: PipelineHarness) -> Int { harness.published.count { $0.exchange == "martlet.dead" } }

    /// Returns a message as the broker dead-letters it from a queue.
    private func dropped(
        from queue: String, because cause: String = "delivery_limit", body: String = jobBody(), connection: UInt32 = 2,
        redelivered: Bool = false
    ) -> AMQPDelivery {
        let death: AMQPFieldValue = .table(["reason": .string(cause), "queue": .string(queue), "count": 1])
        let headers: AMQPFieldTable = ["x-death": .array([death]), "x-first-death-reason": .string(cause)]
        return AMQPDelivery(
            tag: AMQPDeliveryTag(epoch: connection, queueIndex: UInt16(JobQueue.dropped.index), number: 5),
            isRedelivered: redelivered, exchange: "martlet.dropped", routingKey: "normal",
            properties: AMQPProperties(headers: headers), body: Array(body.utf8))
    }

    private static let limited = [
        (JobQueue.suspects.tagIndex, "martlet.jobs.suspects"),
        (JobQueue.lane(.normal).tagIndex, "martlet.jobs.normal"),
        (JobQueue.waiting(.bulk, 0).tagIndex, "martlet.jobs.bulk.waiting.0"),
    ]

    private func first(from tagIndex: UInt16) -> AMQPDelivery {
        AMQPDelivery(
            tag: AMQPDeliveryTag(epoch: 1, queueIndex: tagIndex, number: 1), isRedelivered: false,
            exchange: "martlet.jobs", routingKey: "normal", properties: AMQPProperties(), body: Array(jobBody().utf8))
    }

    @Test(arguments: limited) func continuesJobThatBrokerDroppedAtDeliveryLimit(index: UInt16, queue: String) throws {
        let harness = orphaned(first(from: index))
        let delivery = dropped(from: queue)
        harness.deliver([delivery])
        #expect(harness.published.isEmpty && harness.acknowledgements.isEmpty, "must publish and acknowledge nothing")
        try finish(harness)
        #expect(harness.acknowledgements.map(\.tag) == [delivery.tag])
        let counts = harness.core.currentCounts()
        #expect(harness.started.count == 1 && counts.jobsResumed == 1 && counts.jobsRejected == 0)
        #expect(counts.prefetch.allSatisfy { $0.used == 0 }, "\(counts.prefetch)")
    }

    @Test(arguments: limited) func acknowledgesDroppedJobThatHasEnded(index: UInt16, queue: String) throws {
        let harness = orphaned(first(from: index))
        try finish(harness)
        let delivery = dropped(from: queue)
        harness.deliver([delivery])
        #expect(harness.acknowledgements.map(\.tag) == [delivery.tag] && dead(harness) == 0)
        harness.deliver([delivery])
        #expect(dead(harness) == 1, "a second dropped message is another job")
    }

    /// The queue of dropped jobs and the job's lane are consumed on different connections.
    @Test(arguments: [1, 2]) func followsConnectionOfDroppedDelivery(lost: Int) throws {
        let harness = orphaned(.sample(jobBody(), number: 1))
        harness.deliver([dropped(from: "martlet.jobs.normal")])
        harness.core.received(Self.lost, of: JobQueue.connections[lost])
        harness.core.received(.connected(queues: []), of: JobQueue.connections[lost])
        harness.finishTurn()
        let isLost = JobQueue.connections[lost].contains(.dropped)
        let again = dropped(from: "martlet.jobs.normal", connection: 3, redelivered: true)
        if isLost { harness.deliver([again]) }
        try finish(harness)
        #expect(harness.started.count == 1 && dead(harness) == 0)
        #expect(harness.acknowledgements.map(\.tag.epoch) == [isLost ? 3 : 2])
    }

    @Test func deadLettersDroppedMessageThatMatchesNoOrphan() {
        let others = [
            dropped(from: "martlet.jobs.bulk"), dropped(from: "martlet.dropped"), dropped(from: "another"),
            dropped(from: "martlet.jobs.normal", because: "expired"),
            dropped(from: "martlet.jobs.normal", body: jobBody(more: " ")),
        ]
        for other in others {
            let harness = orphaned(.sample(jobBody(), number: 1))
            harness.deliver([other])
            #expect(dead(harness) == 1, "\(other.properties)")
        }
    }
}
