import Testing
import WebhookOutput

@Suite struct BatchPaceTests {
    private func pace(_ events: (inout BatchPace) -> Void) -> BatchPace {
        var pace = BatchPace(maximumBatches: 4, maximumRecipients: 500)
        events(&pace)
        return pace
    }

    @Test func quickAnswersMakeItGrowToTheMaximum() {
        #expect(pace { _ in }.recipients == 100)
        #expect(pace { _ in }.batches == 2)
        #expect(pace { $0.answered(sentAt: 0, nowMilliseconds: 2_000) }.recipients == 150)
        #expect(pace { $0.answered(sentAt: 0, nowMilliseconds: 2_001) }.recipients == 100)
        let grown = pace { pace in for _ in 0..<20 { pace.answered(sentAt: 0, nowMilliseconds: 1) } }
        #expect(grown.recipients == 500)
        #expect(grown.batches == 3)
        #expect(grown.urgentBatches == 4, "of which the last is for urgent recipients")
    }

    @Test(arguments: [(1, 1, 1), (2, 1, 2), (3, 2, 3), (100, 2, 3)])
    func urgentRecipientsHaveOneMore(maximum: Int, batches: Int, urgent: Int) {
        var pace = BatchPace(maximumBatches: maximum, maximumRecipients: 500)
        #expect(pace.batches == batches)
        #expect(pace.urgentBatches == urgent)
        pace.failed(sentAt: 0, nowMilliseconds: 1, random: 1)
        #expect(pace.batches == 1)
        #expect(pace.urgentBatches == min(2, maximum))
    }

    /// What was too much once is not gone back to in a leap.
    @Test func afterTooManyItGrowsByOne() {
        let pace = pace { pace in
            pace.answered(sentAt: 0, nowMilliseconds: 5_001)
            for _ in 0..<7 { pace.answered(sentAt: 6_000, nowMilliseconds: 6_001) }
        }
        #expect(pace.recipients == 57)
    }

    @Test func slowAnswersMakeItShrink() {
        #expect(pace { $0.answered(sentAt: 0, nowMilliseconds: 5_000) }.recipients == 100)
        #expect(pace { $0.answered(sentAt: 0, nowMilliseconds: 5_001) }.recipients == 50)
        #expect(pace { pace in for _ in 0..<20 { pace.answered(sentAt: 0, nowMilliseconds: 9_000) } }.recipients == 1)
    }

    @Test func failuresPauseForLongerEachTime() {
        var pace = pace { $0.failed(sentAt: 0, nowMilliseconds: 5, random: 1) }
        #expect(pace.recipients == 50)
        #expect(pace.batches == 1)
        #expect(pace.pause(nowMilliseconds: 5) == 1_000)
        #expect(pace.pause(nowMilliseconds: 1_004) == 1)
        #expect(pace.pause(nowMilliseconds: 1_005) == 0)
        var now: Int64 = 1_005
        for _ in 0..<10 {
            now += pace.pause(nowMilliseconds: now)
            pace.failed(sentAt: now, nowMilliseconds: now + 1, random: 1)
            now += 1
        }
        #expect(pace.pause(nowMilliseconds: now) == 60_000)
        pace.answered(sentAt: now + 60_000, nowMilliseconds: now + 60_001)
        pace.failed(sentAt: now + 60_001, nowMilliseconds: now + 60_002, random: 1)
        #expect(pace.pause(nowMilliseconds: now + 60_002) == 1_000, "an answer ends that")
    }

    /// Batches that were sent together fail together, which is one failure.
    @Test func whatWasSentBeforeAPauseChangesNothing() {
        let pace = pace { pace in
            pace.failed(sentAt: 10, nowMilliseconds: 100, random: 1)
            pace.failed(sentAt: 20, nowMilliseconds: 101, random: 1)
            pace.failed(sentAt: 100, nowMilliseconds: 200, random: 1)
            pace.busy(seconds: 7, sentAt: 30, nowMilliseconds: 300, random: 1)
            pace.answered(sentAt: 40, nowMilliseconds: 400)
            pace.answered(sentAt: 50, nowMilliseconds: 9_000)
        }
        #expect(pace.recipients == 50)
        #expect(pace.batches == 1)
        #expect(pace.pause(nowMilliseconds: 100) == 1_000)
        var next = pace
        next.failed(sentAt: 1_100, nowMilliseconds: 1_200, random: 1)
        #expect(next.pause(nowMilliseconds: 1_200) == 2_000, "the second in a row")
    }

    /// An hour at most, then it is asked again.
    @Test(
        arguments: [
            (7, 7_000), (3_600, 3_600_000), (3_601, 3_600_000), (86_400, 3_600_000), (nil, 1_000),
        ] as [(Int32?, Int64)])
    func whatTheReceiverSaysOfAPauseIsKept(seconds: Int32?, milliseconds: Int64) {
        let said = pace { $0.busy(seconds: seconds, sentAt: 0, nowMilliseconds: 1, random: 1) }
        #expect(said.pause(nowMilliseconds: 1) == milliseconds)
        #expect(said.recipients == 100)
        #expect(said.batches == 1)
    }

    @Test func itBeginsWithinItsLimits() {
        let pace = BatchPace(maximumBatches: 1, maximumRecipients: 3)
        #expect(pace.batches == 1)
        #expect(pace.recipients == 3)
    }
}
