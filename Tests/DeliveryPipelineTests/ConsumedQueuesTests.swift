import AMQPClient
import Contract
import DeliveryPipeline
import Testing

/// The arguments that a worker passes to the broker when it starts to consume.
struct ConsumedQueuesTests {
    /// Since RabbitMQ 4.3, the request overrides the broker's settings. A shorter time would cause duplicates.
    @Test func requestsThirtyMinutesForEachQueue() {
        let configuration = PipelineConfiguration(names: PipelineNames(shards: 2), worker: "push-7")
        let consumed = configuration.consumed(JobQueue.all, shards: 3)
        #expect(consumed.count == JobQueue.all.count + 2 * 3)
        #expect(consumed.allSatisfy { $0.arguments == ["x-consumer-timeout": .int64(1_800_000)] })
        #expect(consumed.filter(\.isOptional).map(\.name).allSatisfy { $0.hasSuffix(".3") })
        #expect(consumed.count { $0.isOptional } == 3 && Set(consumed.map(\.tagIndex)).count == consumed.count)
    }
}
