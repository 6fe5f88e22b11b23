import AMQPClient
import Testing

@Suite("Publishing queue")
struct PublishingQueueTests {
    @Test("publications are written in order, and the number of unconfirmed ones is limited")
    func writesUpToLimitInOrder() throws {
        var queue = filled(1...5, limit: 2)
        #expect(write(&queue) == [1, 2])
        try queue.settled(1, multiple: false) { _ in }
        #expect(write(&queue) == [3])
        #expect(queue.count == 4)
        try queue.settled(3, multiple: true) { _ in }
        #expect(write(&queue) == [4, 5])
    }

    @Test("nothing is written while the broker blocks")
    func writesNothingWhileBlocked() {
        var queue = filled(1...2, limit: 9)
        queue.isBlocked = true
        #expect(write(&queue) == [])
        queue.isBlocked = false
        #expect(write(&queue) == [1, 2])
    }

    @Test("after a lost connection, unconfirmed publications are written first, in order")
    func rewritesUnconfirmedFirstAfterLostConnection() throws {
        var queue = filled(1...6, limit: 4)
        #expect(write(&queue) == [1, 2, 3, 4])
        try queue.settled(2, multiple: false) { _ in }
        queue.isBlocked = true
        queue.connectionLost()
        #expect(write(&queue) == [1, 3, 4, 5])
        #expect(queue.count == 5)
    }

    @Test("the publication that closes the channel is found by writing one at a time, and the others are published")
    func findsPublicationThatClosesChannel() throws {
        var queue = filled(1...6, limit: 5)
        #expect(write(&queue) == [1, 2, 3, 4, 5])
        #expect(close(&queue) { _, _ in false } == [])
        #expect(write(&queue) == [1])
        try queue.settled(1, multiple: false) { _ in }
        #expect(write(&queue) == [2])
        #expect(close(&queue) { _, _ in false } == [2])
        #expect(write(&queue) == [3])
        // The confirms of a new channel are numbered from 1 again.
        try queue.settled(1, multiple: false) { _ in }
        #expect(write(&queue) == [4])
        try queue.settled(2, multiple: false) { _ in }
        #expect(write(&queue) == [5])
        try queue.settled(3, multiple: false) { _ in }
        // No publication is in doubt now, so the full limit applies again.
        queue.append([7])
        #expect(write(&queue) == [6, 7])
    }

    @Test("publications in doubt with the same fault are refused together, but later ones are not")
    func refusesSimilarPublicationsInDoubt() {
        var queue = filled(1...8, limit: 6)
        #expect(write(&queue).count == 6)
        #expect(close(&queue) { _, _ in false } == [])
        #expect(write(&queue) == [1])
        #expect(close(&queue) { $0 % 2 == $1 % 2 } == [1, 3, 5])
        #expect(write(&queue) == [2])
        #expect(queue.count == 5)
    }

    @Test("publications stay in doubt if the connection is lost during the search")
    func keepsPublicationsInDoubtAfterLostConnection() {
        var queue = filled(1...3, limit: 3)
        _ = write(&queue)
        _ = queue.channelClosedByPublication { _, _ in false }
        #expect(write(&queue) == [1])
        queue.connectionLost()
        #expect(write(&queue) == [1])
        #expect(close(&queue) { _, _ in false } == [1])
    }

    /// The broker may have accepted messages that were written before the refused one.
    @Test("messages that are written again after a lost channel or connection are marked as repeated")
    func marksRewrittenMessagesAsRepeated() throws {
        var queue = PublishingQueue<Int>(limits: .init(messages: 3)) { -abs($0) }
        queue.append(1...5)
        #expect(write(&queue) == [1, 2, 3])
        #expect(close(&queue) { _, _ in false } == [])
        #expect(write(&queue) == [-1])
        try queue.settled(1, multiple: false) { _ in }
        #expect(write(&queue) == [-2])
        #expect(close(&queue) { _, _ in false } == [-2])
        #expect(write(&queue) == [-3])
        queue.connectionLost()
        #expect(write(&queue) == [-3])
        try queue.settled(1, multiple: false) { _ in }
        #expect(write(&queue) == [4, 5])
    }

    @Test("a publication that can't be written is removed")
    func removesPublicationThatCannotBeWritten() {
        var queue = filled(1...2, limit: 3)
        #expect(removeNext(&queue) { $0 == 2 } == nil)
        #expect(removeNext(&queue) { $0 == 1 } == 1)
        #expect(write(&queue) == [2])
        let left = queue.takeAll()
        #expect(left == [2])
        #expect(queue.count == 0)
    }

    private func filled(_ messages: ClosedRange<Int>, limit: Int) -> PublishingQueue<Int> {
        var queue = PublishingQueue<Int>(limits: .init(messages: limit))
        queue.append(messages)
        return queue
    }

    private func close(_ queue: inout PublishingQueue<Int>, sharesFate: (Int, Int) -> Bool) -> [Int] {
        queue.channelClosedByPublication(sharesFate: sharesFate)
    }

    private func removeNext(_ queue: inout PublishingQueue<Int>, where isImpossible: (Int) -> Bool) -> Int? {
        queue.removeNext(where: isImpossible)
    }

    private func write(_ queue: inout PublishingQueue<Int>) -> [Int] {
        var written: [Int] = []
        while let message = queue.next() { written.append(message) }
        return written
    }
}
