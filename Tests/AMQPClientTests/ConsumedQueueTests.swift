import AMQPClient
import Testing

@Suite("A queue that is consumed over several connections")
struct ConsumedQueueTests {
    private var queue: ConsumedQueue {
        ConsumedQueue(AMQPConsumedQueue(name: "q", prefetch: 10, tagIndex: 7, isOptional: true))
    }

    @Test("it begins once; one that is gone waits until it may be back, with a tag that was not used before")
    func again() {
        var queue = queue
        queue.connected([:])
        let first = queue.begin()
        #expect(first?.consumer == .init(tag: "consumer-1", prefetch: 10) && first?.opensChannel == true)
        #expect(queue.begin() == nil)
        queue.wish = 15
        #expect(queue.changes().count == 1)
        queue.isGone(hasChannel: true)
        #expect(queue.begin() == nil && queue.changes() == [])
        queue.mayBeBack()
        let third = queue.begin()
        #expect(third?.consumer.tag == "consumer-3")
        #expect(third?.opensChannel == false, "over the channel that it had")
        queue.mayBeBack()
        #expect(queue.begin() == nil, "it is consumed")
    }

    @Test("a channel that was closed over it is opened anew")
    func channel() {
        var queue = queue
        queue.connected([:])
        _ = queue.begin()
        queue.isGone(hasChannel: false)
        queue.mayBeBack()
        let second = queue.begin()
        #expect(second?.consumer.tag == "consumer-2" && second?.opensChannel == true)
        queue.isGone(hasChannel: true)
        queue.connected([:])
        let first = queue.begin()
        #expect(first?.consumer.tag == "consumer-1" && first?.opensChannel == true)
    }
}
