import PushModel
import PushSending
import PushTestSupport
import Testing
import HTTP2Pool

extension PushDispatcherTests {
    @Test func returnsHeldJobsAtDifferentTimes() throws {
        for start in [0, 15_000, 45_000] as [Int64] {
            dispatcher.refuseCredential(reason: "r", at: dispatcher.moment(start))
        }
        for random in [0.2, 0.7] { try handIn(recipients: 2, holdRandom: random, at: 46_000) }
        #expect(reported == ["hold 30", "hold 30", "hold 120", "hold 120"])
        let jobs = try (0..<100).map { _ in try QueuedJob.sample() }
        #expect(Set(jobs.map { $0.holdRandom < 0.5 }).count == 2)
    }

    // MARK: Several apps

    @Test func holdsNoOtherAppForRefusalsOfOneApp() throws {
        for time in [0, 10, 20] as [Int64] {
            try handIn("bad-\(time)", app: "com.example.bad", at: time)
            #expect(try refuse(try write(at: time), isAmbiguous: true, at: time + 5).verdict == .retry)
        }
        try handIn("bad-30", app: "com.example.bad", at: 30)
        #expect(next(at: 30) == nil && recorder.outcomes.last?.verdict == .hold, "pushes of this app must be held")
        try handIn("good", recipients: 2, at: 40)
        let good = try #require(next(at: 40))
        #expect(good.job.routed.job.app == "com.example.shop" && !good.isProbe)
        try accept(dispatcher.putOnWire(good), at: 45)
        try handIn("bad-50", app: "com.example.bad", at: 50)
        #expect(dispatcher.waiting == 2, "the accepted push must prove the credential for all apps")
    }

    /// Reproduces an attack: one recipient's refusal delayed another app's pushes by 60 seconds, again and again.
    @Test func sendsOtherAppsDespiteStatedRefusalOfOneRecipient() throws {
        try handIn("good-0", at: 0)
        try accept(write(at: 0), at: 5)
        try handIn("bad-10", app: "com.example.bad", at: 10)
        _ = try refuse(write(at: 10), isAmbiguous: false, at: 20)
        try handIn("good-30", at: 30)
        #expect(dispatcher.waiting == 1)
    }

    /// Reproduces an attack: an app whose jobs were all refused held another app with few pushes.
    @Test func holdsOnlyRefusedAppWhileOthersAreAccepted() throws {
        try handIn("good-0", at: 0)
        try accept(write(at: 0), at: 5)
        for second in 1...30 as ClosedRange<Int64> {
            let now = second * 1_000
            try handIn("bad-\(second)", app: "com.example.bad", at: now)
            if let push = next(at: now) { _ = try refuse(dispatcher.putOnWire(push), isAmbiguous: false, at: now + 5) }
        }
        let held = recorder.outcomes.filter { $0.job.job.app == "com.example.bad" && $0.verdict == .hold }
        #expect(held.count >= 20, "the refused app's pushes must wait without using an attempt")
        try handIn("good-1", at: 31_000)
        let good = try #require(next(at: 31_000))
        #expect(good.job.routed.job.id == "good-1" && !good.isProbe)
        try accept(dispatcher.putOnWire(good), at: 31_010)
        try handIn("bad-31", app: "com.example.bad", at: 31_020)
        #expect(next(at: 31_020)?.isProbe != false, "another app's accepted push must not end the refusal")
    }

    /// Reproduces a finding of the simulation: an app with few pushes waited an hour because another app was refused.
    @Test(arguments: [1, 2])
    func holdsNoOtherAppAfterLongTimeWithoutAcceptance(refusedApps: Int) throws {
        try handIn("good-0", at: 0)
        try accept(write(at: 0), at: 5)
        for app in 0..<refusedApps { try refuseJob("bad-\(app)", app: "com.example.bad\(app)", at: 3_600_000) }
        try handIn("good-1", at: 3_600_100)
        let good = try #require(next(at: 3_600_100))
        #expect(good.job.routed.job.id == "good-1" && !good.isProbe)
    }

    /// While nothing is accepted, one refusal is enough to hold an app. An accepted push of another app ends the hold.
    @Test func holdsAppAtFirstRefusalUntilAnotherAppIsAccepted() throws {
        try handIn("other", at: 0)
        try accept(write(at: 0), at: 5)
        for app in ["a", "b"] {
            #expect(try refuseJob("\(app)-0", app: "com.example.\(app)", at: 70_000).verdict == .hold)
            try handIn("\(app)-1", app: "com.example.\(app)", at: 70_100)
            #expect(dispatcher.isEmpty, "the app's other pushes must be held")
        }
        try handIn("good", at: 70_400)
        try accept(dispatcher.putOnWire(try #require(next(at: 70_400))), at: 70_500)
        try handIn("b-2", app: "com.example.b", at: 70_600)
        #expect(next(at: 70_600)?.isProbe == false, "the accepted push shows that the credential is good")
    }

    @discardableResult
    private func refuseJob(_ id: String, app: String, at now: Int64) throws -> RefusalConsequence {
        try handIn(id, app: app, at: now)
        return try refuse(write(at: now), isAmbiguous: false, at: now + 5)
    }

    @Test func detectsWhetherAnAppFailsAlone() throws {
        func job(_ app: String) throws -> QueuedJob {
            let job = QueuedJob(
                RoutedJob(try Job.read(Job.sampleText([]).replacing("com.example.shop", with: app))), sink: recorder)
            job.health = dispatcher.health.scope(of: job)
            return job
        }
        func isAlone(_ app: String, quiet: Int64 = .max, at now: Int64) throws -> Bool {
            dispatcher.health.isAlone(try job(app), quietMilliseconds: quiet, now: dispatcher.moment(now))
        }
        func accept(_ app: String, at now: Int64) throws {
            dispatcher.health.accepted(
                .credential, PushOnWire(push: QueuedPush(job: try job(app), recipient: 0), writtenAt: now - 1),
                now: dispatcher.moment(now))
        }
        #expect(try !isAlone("a", at: 1), "nothing has been accepted")
        try accept("a", at: 2)
        #expect(try !isAlone("a", at: 3), "no other app has been accepted")
        try accept("b", at: 4)
        try accept("a", at: 5)
        #expect(try isAlone("a", at: 60_003) && !isAlone("a", at: 60_004), "the acceptance is too old")
        #expect(try isAlone("b", quiet: 5_000, at: 5_004) && !isAlone("b", quiet: 5_000, at: 5_005))
    }

    @Test func probesWithOtherAppsFirst() throws {
        try handIn("bad-0", app: "com.example.bad", at: 0)
        _ = try refuse(write(at: 0), isAmbiguous: false, at: 20)
        dispatcher.refuseCredential(reason: "r", at: dispatcher.moment(20))
        turn(at: 14_000)
        for id in ["bad-0", "bad-1"] { try handIn(id, app: "com.example.bad", at: 14_000) }
        try handIn("good", at: 14_000)
        for id in ["good", "bad-1", "bad-0"] {
            let probe = try #require(next(at: 15_100))
            #expect(probe.job.routed.job.id == id && probe.isProbe)
            dispatcher.settle(probe, .rejected, at: dispatcher.moment(15_100))
        }
    }

    /// Reproduces an attack: the same hanging push was the probe three times in a row, while others waited.
    @Test func delaysProbeWithoutAnswerLongerThanOtherPushes() throws {
        try handIn("hangs", at: 0)
        try handIn("other", at: 0)
        dispatcher.connectFailed(isLast: true, now: 100)
        turn(at: 5_100)
        let probe = try write(at: 5_100)
        dispatcher.lost(probe, .timeout, now: 6_000)
        dispatcher.turnEnds()
        let hanging = try #require(recorder.outcomes.first { $0.verdict == .unknown })
        #expect(hanging.retryAfterSeconds == 120, "the push that waited must be the next probe")
        for id in ["hangs", "other"] { try handIn(id, at: 20_000) }
        #expect(next(at: 20_000)?.job.routed.job.id == "other")
    }
}
