import Testing
import WebhookOutput

@Suite struct BatchConcurrencyTests {
    private func concurrency(_ events: (inout BatchConcurrency) -> Void) -> BatchConcurrency {
        var concurrency = BatchConcurrency(maximumBatches: 4, maximumRecipients: 500)
        events(&concurrency)
        return concurrency
    }

    @Test func growsToMaximumOnPromptAnswers() {
        #expect(concurrency { _ in }.recipients == 100)
        #expect(concurrency { _ in }.batches == 2)
        #expect(concurrency { $0.answered(sentAt: 0, inFlight: 1, nowMilliseconds: 2_000) }.recipients == 150)
        #expect(concurrency { $0.answered(sentAt: 0, inFlight: 1, nowMilliseconds: 2_001) }.recipients == 100)
        let grown = concurrency { concurrency in
            for _ in 0..<20 { concurrency.answered(sentAt: 0, inFlight: 2, nowMilliseconds: 1) }
        }
        #expect(grown.recipients == 500)
        #expect(grown.batches == 3)
        #expect(grown.urgentBatches == 4, "the last batch is for urgent recipients")
    }

    @Test(arguments: [(1, 1, 1), (2, 1, 2), (3, 2, 3), (100, 2, 3)])
    func reservesBatchForUrgentRecipients(maximum: Int, batches: Int, urgent: Int) {
        var concurrency = BatchConcurrency(maximumBatches: maximum, maximumRecipients: 500)
        #expect(concurrency.batches == batches)
        #expect(concurrency.urgentBatches == urgent)
        concurrency.failed(sentAt: 0, nowMilliseconds: 1, random: 1)
        #expect(concurrency.batches == 1)
        #expect(concurrency.urgentBatches == min(2, maximum))
    }

    /// After a size of batches was too large, it grows again in small steps.
    @Test func growsByOneRecipientAfterShrinking() {
        let concurrency = concurrency { concurrency in
            concurrency.answered(sentAt: 0, inFlight: 1, nowMilliseconds: 5_001)
            for _ in 0..<7 { concurrency.answered(sentAt: 6_000, inFlight: 1, nowMilliseconds: 6_001) }
        }
        #expect(concurrency.recipients == 57)
    }

    @Test func shrinksOnSlowAnswers() {
        #expect(concurrency { $0.answered(sentAt: 0, inFlight: 1, nowMilliseconds: 5_000) }.recipients == 100)
        #expect(concurrency { $0.answered(sentAt: 0, inFlight: 1, nowMilliseconds: 5_001) }.recipients == 50)
        let slow = concurrency { concurrency in
            for round in 0..<20 as Range<Int64> {
                for _ in 0..<100 {
                    concurrency.answered(sentAt: round * 10_000, inFlight: 1, nowMilliseconds: round * 10_000 + 9_000)
                }
                if round == 0 { #expect(concurrency.recipients == 50, "one round must shrink batches only once") }
            }
        }
        #expect(slow.recipients == 1 && slow.batches == 1)
    }

    @Test func extendsPauseOnEachFailure() {
        var concurrency = concurrency { $0.failed(sentAt: 0, nowMilliseconds: 5, random: 1) }
        #expect(concurrency.recipients == 50)
        #expect(concurrency.batches == 1)
        #expect(concurrency.pause(nowMilliseconds: 5) == 1_000)
        #expect(concurrency.pause(nowMilliseconds: 1_004) == 1)
        #expect(concurrency.pause(nowMilliseconds: 1_005) == 0)
        var now: Int64 = 1_005
        for _ in 0..<10 {
            now += concurrency.pause(nowMilliseconds: now)
            concurrency.failed(sentAt: now, nowMilliseconds: now + 1, random: 1)
            now += 1
        }
        #expect(concurrency.pause(nowMilliseconds: now) == 60_000)
        concurrency.answered(sentAt: now + 60_000, inFlight: 1, nowMilliseconds: now + 60_001)
        concurrency.failed(sentAt: now + 60_002, nowMilliseconds: now + 65_001, random: 1)
        #expect(concurrency.pause(nowMilliseconds: now + 65_001) == 0, "the receiver has answered recently")
        concurrency.failed(sentAt: now + 60_002, nowMilliseconds: now + 65_002, random: 1)
        #expect(concurrency.pause(nowMilliseconds: now + 65_002) == 1_000, "an answer resets the pause")
    }

    /// Batches that were sent together fail together, which counts as one failure.
    @Test func ignoresResultsOfBatchesSentBeforePause() {
        let concurrency = concurrency { concurrency in
            concurrency.failed(sentAt: 10, nowMilliseconds: 100, random: 1)
            concurrency.failed(sentAt: 20, nowMilliseconds: 101, random: 1)
            concurrency.failed(sentAt: 100, nowMilliseconds: 200, random: 1)
            concurrency.busy(seconds: 7, sentAt: 30, nowMilliseconds: 300, random: 1)
            concurrency.answered(sentAt: 40, inFlight: 1, nowMilliseconds: 400)
            concurrency.answered(sentAt: 50, inFlight: 1, nowMilliseconds: 9_000)
        }
        #expect(concurrency.recipients == 50)
        #expect(concurrency.batches == 1)
        #expect(concurrency.pause(nowMilliseconds: 100) == 1_000)
        var next = concurrency
        next.failed(sentAt: 1_100, nowMilliseconds: 1_200, random: 1)
        #expect(next.pause(nowMilliseconds: 1_200) == 2_000, "the second failure in a row")
    }

    @Test(
        arguments: [
            (7, 7_000), (3_600, 3_600_000), (3_601, 3_600_000), (86_400, 3_600_000), (nil, 1_000),
        ] as [(Int32?, Int64)])
    func pausesForRetryAfterUpToAnHour(seconds: Int32?, milliseconds: Int64) {
        let said = concurrency { $0.busy(seconds: seconds, sentAt: 0, nowMilliseconds: 1, random: 1) }
        #expect(said.pause(nowMilliseconds: 1) == milliseconds)
        #expect(said.recipients == 100)
        #expect(said.batches == 1)
    }

    private func large(_ events: (inout BatchConcurrency) -> Void) -> BatchConcurrency {
        var concurrency = BatchConcurrency(maximumBatches: 128, maximumRecipients: 500)
        for _ in 0..<200 { concurrency.answered(sentAt: 0, inFlight: 128, nowMilliseconds: 100) }
        events(&concurrency)
        return concurrency
    }

    @Test func doublesBatchesEachRoundOnPromptAnswers() {
        var concurrency = BatchConcurrency(maximumBatches: 128, maximumRecipients: 500)
        var rounds: [Int] = []
        while concurrency.batches < 127, rounds.count < 20 {
            rounds.append(concurrency.batches)
            let (sent, inFlight) = (Int64(rounds.count) * 100, concurrency.batches)
            for _ in 0..<inFlight {
                concurrency.answered(sentAt: sent, inFlight: inFlight, nowMilliseconds: sent + 100)
            }
        }
        #expect(rounds.prefix(6) == [2, 4, 8, 16, 32, 64])
        #expect(concurrency.batches == 127)
    }

    @Test func keepsLimitWhileBatchesAreUnused() {
        let concurrency = concurrency { concurrency in
            for _ in 0..<3 { concurrency.answered(sentAt: 0, inFlight: 3, nowMilliseconds: 100) }
            for _ in 0..<20 { concurrency.answered(sentAt: 0, inFlight: 1, nowMilliseconds: 100) }
        }
        #expect(concurrency.batches == 3)
        var wide = BatchConcurrency(maximumBatches: 128, maximumRecipients: 500)
        for _ in 0..<2_000 { wide.answered(sentAt: 0, inFlight: 2, nowMilliseconds: 100) }
        #expect(wide.batches == 5, "the limit grows only while half of it is in use")
    }

    @Test func addsNoBatchOnAnswersAfterASecond() {
        var concurrency = BatchConcurrency(maximumBatches: 128, maximumRecipients: 500)
        for _ in 0..<200 { concurrency.answered(sentAt: 0, inFlight: 128, nowMilliseconds: 1_001) }
        #expect(concurrency.batches == 2 && concurrency.recipients == 500)
    }

    /// A receiver that answers one of a hundred batches with 500 has a problem with that batch, so all other batches
    /// continue.
    @Test func sendsWithoutPauseAfterFailureAmongAnswers() {
        let once = large { $0.failed(sentAt: 99, nowMilliseconds: 150, random: 1) }
        #expect(once.pause(nowMilliseconds: 150) == 0)
        #expect(once.batches == 127 - 127 / 8 && once.recipients == 500)
        let often = large { concurrency in
            for _ in 0..<50 { concurrency.failed(sentAt: 99, nowMilliseconds: 150, random: 1) }
        }
        #expect(often.batches == once.batches, "failures of one round count once")
        let alone = large { $0.failed(sentAt: 100, nowMilliseconds: 5_101, random: 1) }
        #expect(alone.pause(nowMilliseconds: 5_101) == 1_000)
        #expect(alone.batches == 1 && alone.recipients == 250)
    }

    /// Reproduces an attack in which every second job of an app failed, and hardly any of its other jobs were sent.
    @Test func neverPausesWhileEverySecondBatchIsAnswered() {
        let concurrency = concurrency { concurrency in
            for second in 1...60 as ClosedRange<Int64> {
                let now = second * 1_000
                concurrency.answered(sentAt: now, inFlight: 2, nowMilliseconds: now + 10)
                concurrency.failed(sentAt: now + 20, nowMilliseconds: now + 30, random: 1)
                #expect(concurrency.pause(nowMilliseconds: now + 30) == 0)
            }
        }
        #expect(concurrency.batches >= 1)
    }

    @Test func limitsRefusingReceiverToOneBatchAtATime() {
        func refuse(_ count: Int, _ concurrency: inout BatchConcurrency) {
            for _ in 0..<count { concurrency.refused(sentAt: 0, nowMilliseconds: 100) }
        }
        let (few, many) = (large { refuse(9, &$0) }, large { refuse(10, &$0) })
        #expect(few.batches == 127 && many.batches == 1)
        let mixed = large { concurrency in
            for _ in 0..<100 {
                refuse(9, &concurrency)
                concurrency.answered(sentAt: 0, inFlight: 127, nowMilliseconds: 100)
            }
        }
        #expect(mixed.batches == 127)
    }

    @Test func ignoresRefusalsOfBatchesSentBeforeReduction() {
        func refuse(_ count: Int, sentAt: Int64, _ now: Int64, _ concurrency: inout BatchConcurrency) {
            for _ in 0..<count { concurrency.refused(sentAt: sentAt, nowMilliseconds: now) }
        }
        var concurrency = large { refuse(10, sentAt: 150, 200, &$0) }
        #expect(concurrency.batches == 1)
        for _ in 0..<2 { concurrency.answered(sentAt: 201, inFlight: 3, nowMilliseconds: 300) }
        refuse(100, sentAt: 150, 400, &concurrency)
        refuse(9, sentAt: 301, 500, &concurrency)
        #expect(concurrency.batches == 3, "the refused batches were sent before the reduction")
        refuse(1, sentAt: 301, 500, &concurrency)
        #expect(concurrency.batches == 1, "ten newer batches in a row were refused")
    }

    @Test func ignoresRefusalsOfBatchesSentBeforePause() {
        var concurrency = large { $0.busy(seconds: 1, sentAt: 150, nowMilliseconds: 200, random: 1) }
        for _ in 0..<2 { concurrency.answered(sentAt: 1_300, inFlight: 3, nowMilliseconds: 1_400) }
        for _ in 0..<20 { concurrency.refused(sentAt: 160, nowMilliseconds: 1_500) }
        #expect(concurrency.batches == 3)
    }

    @Test func startsWithinConfiguredLimits() {
        let concurrency = BatchConcurrency(maximumBatches: 1, maximumRecipients: 3)
        #expect(concurrency.batches == 1)
        #expect(concurrency.recipients == 3)
    }
}
