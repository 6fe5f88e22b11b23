import DeliveryPipeline
import DequeModule
import Testing

@Suite struct StatementQueueTests {
    private func asking(_ items: [Int], atMost count: Int = .max) -> StatementQueue<Int> {
        var queue = StatementQueue<Int>()
        for item in items { queue.add(item) }
        _ = queue.next(id: 1, atMost: count)
        return queue
    }

    @Test func sendsOneStatementAtATimeAndGathersRest() {
        var queue = asking([1, 2, 3], atMost: 2)
        #expect(queue.isAsking && queue.asks(1) && queue.gathering == [3])
        let none = queue.next(id: 2)
        #expect(none == nil)
        let answered = queue.answered(1)
        #expect(answered == [1, 2])
        let next = queue.next(id: 2)
        #expect(next == [3])
    }

    @Test func ignoresAnswerToAnotherStatement() {
        var queue = asking([1])
        let wrong = queue.answered(7)
        #expect(wrong == nil && queue.isAsking)
        _ = queue.answered(1)
        let twice = queue.answered(1)
        #expect(twice == nil)
    }

    /// Answers are assigned by position, so a removed item must keep its position.
    @Test func keepsPlacesOfRemovedItems() {
        var queue = asking([1, 2, 3], atMost: 2)
        let taken = queue.takeOut { $0 != 2 }
        #expect(taken.asked == [1] && taken.gathering == [3])
        #expect(!queue.isEmpty && !queue.canAsk)
        let rest = queue.takeOut()
        #expect(rest.asked == [2] && rest.gathering == [])
        #expect(queue.isEmpty && queue.isAsking)
        let answered = queue.answered(1)
        #expect(answered == [nil, nil])
    }
}
