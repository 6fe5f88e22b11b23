import AMQPClient
import Testing

@Suite("Prefetch of a queue that is consumed")
struct ConsumerPrefetchTests {
    private func consumer(_ number: Int, _ prefetch: UInt16) -> ConsumerPrefetch.Consumer {
        .init(tag: "consumer-\(number)", prefetch: prefetch)
    }

    @Test("a higher prefetch adds a consumer, and a lower prefetch cancels the newest consumers")
    func addsConsumersAndCancelsNewest() {
        var prefetch = ConsumerPrefetch(4)
        #expect(prefetch.consumers == [consumer(1, 4)])
        #expect(prefetch.change(to: 4) == [])
        #expect(prefetch.change(to: 8) == [.consume(consumer(2, 4))])
        #expect(prefetch.change(to: 32) == [.consume(consumer(3, 24))])
        #expect(prefetch.total == 32)
        #expect(prefetch.change(to: 8) == [.cancel(consumer(3, 24))])
        #expect(prefetch.change(to: 9) == [.consume(consumer(4, 1))], "tags must not be reused")
        #expect(
            prefetch.change(to: 6) == [.cancel(consumer(4, 1)), .cancel(consumer(2, 4)), .consume(consumer(5, 2))])
    }

    @Test("a new priority replaces all consumers with one")
    func replacesConsumersForNewPriority() {
        var prefetch = ConsumerPrefetch(4)
        _ = prefetch.change(to: 6)
        #expect(
            prefetch.change(to: 6, priority: -1) == [
                .cancel(consumer(2, 2)), .cancel(consumer(1, 4)),
                .consume(.init(tag: "consumer-3", prefetch: 6, priority: -1)),
            ])
        #expect(prefetch.change(to: 6, priority: -1) == [])
        #expect(
            prefetch.change(to: 5) == [
                .cancel(.init(tag: "consumer-3", prefetch: 6, priority: -1)), .consume(consumer(4, 5)),
            ])
    }

    @Test("a prefetch below that of the first consumer replaces this consumer")
    func replacesFirstConsumerIfNewPrefetchIsLower() {
        var prefetch = ConsumerPrefetch(4)
        #expect(prefetch.change(to: .max) == [.consume(consumer(2, .max - 4))])
        #expect(
            prefetch.change(to: 1) == [
                .cancel(consumer(2, .max - 4)), .cancel(consumer(1, 4)), .consume(consumer(3, 1)),
            ])
        #expect(prefetch.total == 1)
    }
}
