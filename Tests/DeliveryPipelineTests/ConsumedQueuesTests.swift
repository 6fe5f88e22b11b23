import AMQPClient
import Contract
import DeliveryPipeline
import Testing

/// The arguments that a worker passes to the broker when it starts to consume.
struct ConsumedQueuesTests {
    /// Since RabbitMQ 4.3, a consumer's timeout overrides the broker's. A shorter timeout would cause duplicate pushes.
    @Test func requestsThirtyMinutesForEachQueue() {
        let consumed = PipelineConfiguration(worker: "push-7").consumed(JobQueue.all)
        #expect(consumed.map(\.name) == PipelineNames().consumedQueues)
        #expect(consumed.allSatisfy { $0.arguments == ["x-consumer-timeout": .int64(1_800_000)] })
        #expect(Set(consumed.map(\.tagIndex)).count == consumed.count)
    }
}
