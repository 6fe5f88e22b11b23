import PushModel
import PushSending
import Testing

/// The pushes of a ``SampleProvider``. The test takes the place of the connection pool.
@Suite struct ProviderPushesTests {
    private let fixture = ProviderFixture()

    @Test func reportsAcceptedPushWithProviderID() throws {
        try fixture.handIn("a")
        fixture.answer(fixture.write()["a"], 200, "m-1", at: 10)
        #expect(fixture.outcomes == ["sent 200 -"])
        #expect(fixture.last?.providerID.map { "\($0)" } == "m-1")
    }

    @Test func reportsRefusedPushWithProviderAsJudge() throws {
        try fixture.handIn("a", "b")
        let tags = fixture.write()
        fixture.answer(tags["a"], 400, at: 10)
        fixture.answer(tags["b"], 500, at: 10)
        #expect(fixture.outcomes == ["rejected 400 Status400", "unknown 500 Status500"])
        #expect(fixture.last?.judge == .provider)
    }

    @Test func datesDeadTokenToRequest() throws {
        try fixture.handIn("a")
        fixture.answer(fixture.write()["a"], 410, at: 10)
        #expect(fixture.outcomes == ["unregistered 410 Status410"])
        #expect(fixture.last?.unregisteredAt == Timestamp(milliseconds: 999_750))
    }

    @Test func rejectsOnlyRecipientWithoutRequest() throws {
        try fixture.handIn("a", "bad", "b")
        let tags = fixture.write()
        #expect(Set(tags.keys) == ["a", "b"])
        #expect(fixture.outcomes == ["rejected 0 BadToken"])
        #expect(fixture.last?.detail == "not an address" && fixture.last?.judge == .martlet)
    }

    // MARK: Delays

    @Test func retriesAfterLongerOfBothDelays() throws {
        try fixture.handIn("a", "b", "c")
        let tags = fixture.write()
        fixture.answer(tags["a"], 503, at: 10)
        fixture.answer(tags["b"], 503, retryAfter: "2", at: 10)
        fixture.answer(tags["c"], 503, retryAfter: "60", at: 10)
        #expect(
            fixture.outcomes == [
                "retry 503 Status503 after 5", "retry 503 Status503 after 5", "retry 503 Status503 after 60",
            ])
    }

    @Test func movesWaitingPushesToBrokerDuringLongPause() throws {
        try fixture.handIn("a")
        let tags = fixture.write()
        try fixture.handIn("b", id: "second", at: 5)
        fixture.answer(tags["a"], 429, retryAfter: "120", at: 10)
        #expect(fixture.outcomes == ["retry 429 Status429 after 120", "hold 0 Status429 after 120"])
        try fixture.handIn("c", id: "third", at: 60_010)
        #expect(fixture.outcomes.last == "hold 0 Status429 after 60")
        try fixture.handIn("d", id: "fourth", at: 120_010)
        #expect(fixture.write(at: 120_010).keys.sorted() == ["d"])
    }

    @Test func keepsWaitingPushesDuringShortPause() throws {
        try fixture.handIn("a", "b")
        let tags = fixture.write()
        try fixture.handIn("c", id: "second", at: 5)
        fixture.answer(tags["a"], 429, at: 10)
        fixture.answer(tags["b"], 429, at: 11)
        #expect(fixture.outcomes == ["retry 429 Status429", "retry 429 Status429"])
        #expect(fixture.write(at: 500).isEmpty && !fixture.pushes.isEmpty)
        #expect(fixture.write(at: 1_020).keys.sorted() == ["c"])
    }

    @Test func growsPausesUntilPushIsAccepted() {
        var pause = ProviderPause()
        func throttle(writtenAt: Int64, at now: Int64) -> Int64 {
            _ = pause.throttled(seconds: 0, writtenAt: writtenAt, now: now, random: 1)
            return pause.rest(at: now)
        }
        #expect(throttle(writtenAt: 0, at: 10) == 1_000)
        #expect(throttle(writtenAt: 5, at: 20) == 990)
        #expect(throttle(writtenAt: 2_000, at: 2_010) == 2_000)
        #expect(throttle(writtenAt: 5_000, at: 5_010) == 4_000)
        pause.accepted(writtenAt: 5_005)
        #expect(throttle(writtenAt: 10_000, at: 10_010) == 8_000)
        pause.accepted(writtenAt: 20_000)
        #expect(throttle(writtenAt: 20_001, at: 20_010) == 1_000)
    }

    // MARK: Refusals

    @Test func continuesAfterAmbiguousRefusalOfOneRecipient() throws {
        try fixture.handIn("a", "doubtful", "b")
        let tags = fixture.write()
        fixture.answer(tags["a"], 200, "1", at: 10)
        fixture.answer(tags["doubtful"], 403, at: 11)
        fixture.answer(tags["b"], 200, "2", at: 12)
        #expect(fixture.outcomes == ["sent 200 -", "retry 403 Status403", "sent 200 -"])
        try fixture.handIn("c", "d", id: "second", at: 20)
        #expect(fixture.write(at: 20).keys.sorted() == ["c", "d"])
    }

    @Test func holdsPushesAfterAmbiguousRefusalsOfThreeJobs() throws {
        for number in 1...3 {
            try fixture.handIn("a\(number)", id: "job-\(number)", at: Int64(number) * 100)
            fixture.answer(
                fixture.write(at: Int64(number) * 100)["a\(number)"], 403, at: Int64(number) * 100 + 10)
        }
        try fixture.handIn("b", id: "job-4", at: 400)
        #expect(fixture.outcomes == Array(repeating: "retry 403 Status403", count: 3) + ["hold 0 Status403 after 30"])
    }

    @Test func probesAfterStatedRefusalOfCredential() throws {
        try fixture.handIn("a")
        let tags = fixture.write()
        try fixture.handIn("b", id: "second", at: 5)
        fixture.answer(tags["a"], 401, at: 10)
        #expect(fixture.outcomes == ["hold 0 Status401 after 30", "hold 401 Status401 after 120"])
        try fixture.handIn("c", id: "third", at: 1_000)
        #expect(fixture.outcomes.count == 3)
        try fixture.handIn("d", "e", id: "fourth", at: 17_000)
        let probe = fixture.write(at: 17_000)
        #expect(probe.count == 1)
        fixture.answer(probe.values.first, 200, "1", at: 17_010)
        #expect(fixture.write(at: 17_020).count == 1)
    }

    // MARK: Calls by the output

    @Test func failsWaitingPushesOfCancelledJob() throws {
        try fixture.handIn("a", id: "cancelled")
        try fixture.handIn("b", id: "other")
        fixture.dispatcher.cancel({ $0.job.id == "cancelled" }, now: 10)
        #expect(fixture.write(at: 20).keys.sorted() == ["b"])
        #expect(fixture.outcomes == ["failed 0 Cancelled"])
    }

    @Test func returnsWaitingPushesOnStop() throws {
        try fixture.handIn("a")
        let tags = fixture.write()
        try fixture.handIn("b", id: "second", at: 5)
        fixture.dispatcher.stop()
        fixture.turn(at: 10)
        fixture.answer(tags["a"], 200, "1", at: 20)
        #expect(fixture.outcomes == ["returned 0 -", "sent 200 -"])
    }
}
