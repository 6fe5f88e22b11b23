import AMQPClient
import Testing

@Suite("A queue that is consumed over several connections")
struct ConsumedQueueTests {
    private var queue: ConsumedQueue {
        ConsumedQueue(AMQPConsumedQueue(name: "q", prefetch: 10, tagIndex: 7, isOptional: true))
    }

    @Test func consumesReappearedQueueUnderNewTag() {
        var queue = queue
        queue.connected([:])
        let first = queue.begin()
        #expect(first == .init(tag: "consumer-1", prefetch: 10))
        #expect(queue.begin() == nil)
        queue.wish = 15
        #expect(queue.changes().count == 1)
        queue.isGone()
        #expect(queue.begin() == nil && queue.changes() == [])
        queue.mayBeBack()
        #expect(queue.begin()?.tag == "consumer-3")
        queue.mayBeBack()
        #expect(queue.begin() == nil, "the queue is already consumed")
    }

    @Test func restartsConsumerTagsOnNewConnection() {
        var queue = queue
        queue.connected([:])
        _ = queue.begin()
        queue.isGone()
        queue.connected([:])
        #expect(queue.begin()?.tag == "consumer-1")
    }
}
