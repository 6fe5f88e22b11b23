import AMQPClient
import TestSupport
import Testing

@Suite("Confirm tracker")
struct ConfirmTrackerTests {
    @Test("single confirms in any order settle each message once")
    func settlesSingleConfirmsInAnyOrder() throws {
        var tracker = published(4)
        #expect(try settle(&tracker, 3) == [3])
        #expect(try settle(&tracker, 1) == [1])
        #expect(try settle(&tracker, 4) == [4])
        #expect(tracker.openCount == 1)
        #expect(try settle(&tracker, 2) == [2])
        #expect(tracker.openCount == 0)
    }

    @Test("a multiple confirm settles all open messages up to its number, or all if the number is zero")
    func settlesMultipleConfirms() throws {
        var tracker = published(6)
        #expect(try settle(&tracker, 2) == [2])
        #expect(try settle(&tracker, 3, multiple: true) == [1, 3])
        #expect(try settle(&tracker, 0, multiple: true) == [4, 5, 6])
    }

    @Test("a returned message is not confirmed as well")
    func doesNotConfirmReturnedMessage() throws {
        var tracker = published(3)
        #expect(returned(&tracker) { $0 == 2 } == 2)
        #expect(tracker.openCount == 2)
        #expect(try settle(&tracker, 2) == [])
        #expect(try settle(&tracker, 3, multiple: true) == [1, 3])
    }

    @Test("equal messages are returned in the order of publishing")
    func returnsEqualMessagesInOrder() {
        var tracker = published(3)
        #expect(returned(&tracker) { _ in true } == 1)
        #expect(returned(&tracker) { $0 == 3 } == 3)
        #expect(returned(&tracker) { $0 == 2 } == nil)
    }

    @Test("a confirm of a number that is not open is an error")
    func rejectsNumbersThatAreNotOpen() throws {
        var tracker = published(2)
        #expect(throws: ConfirmTracker<Int>.Problem.unknownNumber(3)) { try settle(&tracker, 3) }
        #expect(throws: ConfirmTracker<Int>.Problem.unknownNumber(3)) { try settle(&tracker, 3, multiple: true) }
        _ = try settle(&tracker, 2)
        #expect(throws: ConfirmTracker<Int>.Problem.unknownNumber(2)) { try settle(&tracker, 2) }
        _ = try settle(&tracker, 1)
        #expect(throws: ConfirmTracker<Int>.Problem.unknownNumber(1)) { try settle(&tracker, 1) }
    }

    @Test("after a lost channel, unconfirmed messages are returned in order, and numbers start again at 1")
    func returnsUnconfirmedMessagesOfLostChannel() throws {
        var tracker = published(5)
        _ = try settle(&tracker, 4)
        _ = try settle(&tracker, 1)
        _ = tracker.returned { $0 == 3 }
        let left = tracker.channelLost()
        #expect(left == [2, 5])
        #expect(tracker.openCount == 0)
        tracker.published(9)
        #expect(try settle(&tracker, 1) == [9])
    }

    @Test("in random orders of confirms and returns, every message is settled exactly once", arguments: 0..<50)
    func settlesEachMessageOnceInRandomOrder(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var tracker = ConfirmTracker<Int>()
        var open: Set<Int> = []
        var unconfirmedReturns: Set<Int> = []
        var verdicts: [Int: Int] = [:]
        var count = 0
        for _ in 0..<5000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                count += 1
                tracker.published(count)
                open.insert(count)
            case 5..<8:
                guard let number = open.union(unconfirmedReturns).min(by: { a, b in a % 7 < b % 7 }) else { continue }
                for message in try settle(&tracker, UInt64(number)) { verdicts[message, default: 0] += 1 }
                open.remove(number)
                unconfirmedReturns.remove(number)
            case 8:
                guard let number = open.randomElement(using: &random) else { continue }
                let settled = try settle(&tracker, UInt64(number), multiple: true)
                #expect(settled == open.filter { $0 <= number }.sorted())
                for message in settled { verdicts[message, default: 0] += 1 }
                open = open.filter { $0 > number }
                unconfirmedReturns = unconfirmedReturns.filter { $0 > number }
            default:
                guard let number = open.max() else { continue }
                guard let message = tracker.returned(where: { $0 == number }) else { continue }
                verdicts[message, default: 0] += 1
                open.remove(message)
                unconfirmedReturns.insert(message)
            }
            #expect(tracker.openCount == open.count)
        }
        for message in tracker.channelLost() {
            let wasOpen = open.remove(message) != nil
            #expect(wasOpen)
            verdicts[message, default: 0] += 1
        }
        #expect(open.isEmpty)
        #expect(verdicts.count == count)
        #expect(verdicts.values.allSatisfy { $0 == 1 })
    }

    private func published(_ count: Int) -> ConfirmTracker<Int> {
        var tracker = ConfirmTracker<Int>()
        for message in 1...count { tracker.published(message) }
        return tracker
    }

    private func returned(_ tracker: inout ConfirmTracker<Int>, where matches: (Int) -> Bool) -> Int? {
        tracker.returned(where: matches)
    }

    private func settle(
        _ tracker: inout ConfirmTracker<Int>, _ number: UInt64, multiple: Bool = false
    ) throws -> [Int] {
        var settled: [Int] = []
        try tracker.settled(number, multiple: multiple) { settled.append($0) }
        return settled
    }
}
