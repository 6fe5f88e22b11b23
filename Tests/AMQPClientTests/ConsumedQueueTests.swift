import AMQPClient
import Testing

@Suite("A queue that is consumed over several connections")
struct ConsumedQueueTests {
    private var queue: ConsumedQueue { ConsumedQueue(AMQPConsumedQueue(name: "q", prefetch: 10, tagIndex: 7)) }

    @Test func restartsConsumerTagsOnNewConnection() {
        var queue = queue
        #expect(queue.consumers.isEmpty && queue.changes() == [], "nothing is consumed before the first connection")
        #expect(queue.connected([:]) == .init(tag: "consumer-1", prefetch: 10))
        queue.wish = 15
        #expect(queue.changes() == [.consume(.init(tag: "consumer-2", prefetch: 5))])
        #expect(queue.connected([:]) == .init(tag: "consumer-1", prefetch: 10))
        #expect(queue.changes() == [.consume(.init(tag: "consumer-2", prefetch: 5))], "the new prefetch applies")
    }

    @Test func keepsPriorityOnNewConnection() {
        var queue = queue
        _ = queue.connected([:])
        queue.priority = -1
        #expect(
            queue.changes() == [
                .cancel(.init(tag: "consumer-1", prefetch: 10)),
                .consume(.init(tag: "consumer-2", prefetch: 10, priority: -1)),
            ])
        #expect(queue.connected([:]) == .init(tag: "consumer-1", prefetch: 10, priority: -1))
        #expect(queue.changes() == [])
    }

    @Test func usesRealNameOfServerNamedQueue() {
        var queue = queue
        _ = queue.connected(["q": "amq.gen-1"])
        #expect(queue.realName == "amq.gen-1")
        _ = queue.connected([:])
        #expect(queue.realName == "q")
    }
}
