import Logging
import PushModel
import PushSending
import PushTestSupport
import Testing
import Foundations
import HTTP2Pool

/// The choice of pushes to send while a credential, topic or host is refused or unreachable.
@Suite struct PushDispatcherTests {
    private let recorder = OutcomeRecorder()
    private let dispatcher: CredentialDispatcher

    init() {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let subject = Refusal.Subject(credential: "1", environment: .production, topic: nil)
        dispatcher = CredentialDispatcher(
            health: PoolHealth(
                of: subject, service: "the test", breakMilliseconds: 15_000, silenceMilliseconds: 10_000,
                refusals: { _ in }, logger: logger),
            badTokens: BadTokenCounter(of: subject, mixUp: ("r", "?"), refusals: { _ in }, logger: logger),
            clock: { Timestamp(seconds: 1_000) })
    }

    private func handIn(
        _ id: String = "job", _ members: String..., recipients: Int = 1, app: String = "com.example.shop",
        topic: String? = nil, holdRandom: Double = 0, at now: Int64
    ) throws {
        let tokens = (0..<recipients).map { "\"aa0\($0)\"" }.joined(separator: ",")
        let text = Job.sampleText(recipients: "[\(tokens)]", members + [#""id":"\#(id)""#])
        let job = try Job.read(text.replacing("com.example.shop", with: app))
        let queued = QueuedJob(RoutedJob(job), sink: recorder, topic: topic)
        queued.holdRandom = holdRandom
        _ = dispatcher.handIn(queued)
        turn(at: now)
    }

    private func turn(at now: Int64) {
        dispatcher.turnBegins(now: now)
        dispatcher.turnEnds()
    }

    private func next(at now: Int64) -> QueuedPush? { dispatcher.next(onlyUrgent: false, at: dispatcher.moment(now)) }

    /// Puts the next push on the wire.
    private func write(at now: Int64) throws -> Int { dispatcher.putOnWire(try #require(next(at: now))) }

    private func refuse(_ tag: Int, isAmbiguous: Bool, at now: Int64) throws -> RefusalConsequence {
        let sent = try #require(dispatcher.takeOffWire(tag))
        defer { dispatcher.turnEnds() }
        return dispatcher.refuse(sent, isAmbiguous: isAmbiguous, reason: "r", at: dispatcher.moment(now))
    }

    private func accept(_ tag: Int, at now: Int64) throws {
        dispatcher.settleSent(
            try #require(dispatcher.takeOffWire(tag)), .credential, status: 200, at: dispatcher.moment(now))
        dispatcher.turnEnds()
    }

    /// Settles pushes that cannot wait, as the output does once a second.
    private func tick(at now: Int64) {
        dispatcher.tick(now: now)
        dispatcher.turnEnds()
    }

    private func refuseCredential() {
        dispatcher.refuseCredential(reason: "r", at: dispatcher.moment(0))
        dispatcher.turnEnds()
    }

    private var reported: [String] { recorder.outcomes.map { "\($0.verdict) \($0.retryAfterSeconds)" } }

    // MARK: Probes

    @Test func holdsPushesThatArriveWhileCredentialIsRefused() throws {
        refuseCredential()
        try handIn(recipients: 3, at: 1_000)
        #expect(reported == ["hold 30", "hold 30", "hold 30"])
        #expect(dispatcher.isEmpty)
    }

    @Test func sendsOtherPushesOnceProbeIsAccepted() throws {
        refuseCredential()
        try handIn(recipients: 200, at: 13_000)
        #expect(dispatcher.waiting == 0 && !dispatcher.isEmpty, "pushes wait because the break is nearly over")
        turn(at: 15_000)
        #expect(dispatcher.waiting == 1)
        let probe = try write(at: 15_000)
        #expect(next(at: 15_001) == nil && dispatcher.waiting == 0)
        try handIn(recipients: 1, at: 15_002)
        #expect(reported == [], "pushes must wait while the probe is on the wire")
        try accept(probe, at: 15_100)
        #expect(dispatcher.waiting == 200)
        #expect(next(at: 15_100)?.isProbe == false)
    }

    @Test func holdsOtherPushesIfProbeIsNotAnsweredInFiveSeconds() throws {
        refuseCredential()
        try handIn(recipients: 3, at: 15_000)
        _ = try write(at: 15_000)
        tick(at: 20_000)
        #expect(reported == [])
        tick(at: 20_001)
        #expect(reported == ["hold 30", "hold 30"])
    }

    @Test func holdsRefusedProbeLongerThanOtherPushes() throws {
        refuseCredential()
        try handIn(recipients: 3, at: 15_000)
        let consequence = try refuse(try write(at: 15_000), isAmbiguous: false, at: 15_100)
        #expect(consequence == .init(.hold, seconds: 120))
        #expect(reported == ["hold 30", "hold 30"])
    }

    @Test func neverProbesWithExpiredPush() throws {
        refuseCredential()
        try handIn("late", #""expires_at":"1970-01-01T00:00:01Z""#, at: 15_000)
        try handIn(at: 15_000)
        #expect(next(at: 15_000)?.isProbe == true)
        dispatcher.turnEnds()
        #expect(reported == ["expired 0"])
    }

    @Test func sendsNextProbeAfterProbeWithoutEvidence() throws {
        refuseCredential()
        try handIn(recipients: 3, at: 15_000)
        let probe = try write(at: 15_000)
        #expect(next(at: 15_001) == nil)
        #expect(dispatcher.takeOffWire(probe) != nil)
        let second = try #require(next(at: 15_002))
        #expect(second.isProbe)
        dispatcher.settle(second, .rejected, at: dispatcher.moment(15_002))
        #expect(next(at: 15_003)?.isProbe == true)
    }

    @Test func resendsProbeThatWasNotProcessed() throws {
        refuseCredential()
        try handIn(recipients: 1, at: 15_000)
        dispatcher.unprocessed(try write(at: 15_000), now: 15_001)
        let again = next(at: 15_002)
        #expect(again?.isProbe == true && again?.resends == 1)
        #expect(reported == [])
    }

    @Test func cancelsPushesThatWaitForProbe() throws {
        refuseCredential()
        try handIn(recipients: 2, at: 15_000)
        let probe = try write(at: 15_000)
        dispatcher.cancel({ _ in true }, now: 15_001)
        #expect(dispatcher.isOnWire(probe) { _ in true })
        dispatcher.unprocessed(probe, now: 15_002)
        dispatcher.turnEnds()
        #expect(reported == ["failed 0", "failed 0"])
    }

    @Test func returnsPushesThatWaitForProbeOnStop() throws {
        refuseCredential()
        try handIn(recipients: 2, at: 14_000)
        dispatcher.stop()
        turn(at: 14_001)
        #expect(reported == ["returned 0", "returned 0"] && dispatcher.isEmpty)
    }

    // MARK: Evidence

    @Test func sendsOtherJobAfterAmbiguousRefusal() throws {
        try handIn("bad", recipients: 2, at: 0)
        try handIn("good", at: 0)
        let consequence = try refuse(try write(at: 0), isAmbiguous: true, at: 100)
        #expect(consequence == .init(.retry))
        let probe = try #require(next(at: 100))
        #expect(probe.isProbe && probe.job.routed.job.id == "good", "another job's push is the better probe")
        #expect(next(at: 100) == nil)
        try accept(dispatcher.putOnWire(probe), at: 150)
        #expect(next(at: 150)?.isProbe == false)
        #expect(reported == ["sent 0"])
    }

    @Test func ignoresAmbiguousRefusalAmongAcceptedPushes() throws {
        try handIn("good", at: 0)
        try handIn("bad", at: 0)
        let (good, bad) = (try write(at: 0), try write(at: 0))
        try accept(good, at: 90)
        #expect(try refuse(bad, isAmbiguous: true, at: 100) == .init(.retry))
        try handIn("next", recipients: 2, at: 101)
        #expect(dispatcher.waiting == 2)
        #expect(next(at: 101)?.isProbe == false)
    }

    @Test func countsNoAttemptForRevokedCredential() throws {
        try handIn(recipients: 300, at: 0)
        let tags = try (0..<250).map { _ in try write(at: 0) }
        for tag in tags {
            #expect(try refuse(tag, isAmbiguous: false, at: 100) == .init(.hold, seconds: 120))
        }
        #expect(reported == Array(repeating: "hold 30", count: 50))
    }

    // MARK: Topics

    @Test func holdsOnlyPushesOfRefusedTopic() throws {
        try handIn("bad", recipients: 2, topic: "a", at: 0)
        let sent = try #require(dispatcher.takeOffWire(try write(at: 0)))
        _ = dispatcher.refuse(sent, .topic, isAmbiguous: false, reason: "r", at: dispatcher.moment(10))
        try handIn("good", topic: "b", at: 20)
        dispatcher.turnEnds()
        #expect(reported == ["hold 30"])
        #expect(next(at: 20)?.job.routed.job.id == "good")
    }

    @Test func keepsPushesOfDoubtedTopicUntilProbeEnds() throws {
        try handIn("bad", topic: "a", at: 0)
        try handIn("good", recipients: 2, topic: "a", at: 0)
        try handIn("other", topic: "b", at: 0)
        let sent = try #require(dispatcher.takeOffWire(try write(at: 0)))
        _ = dispatcher.refuse(sent, .topic, isAmbiguous: true, reason: "r", at: dispatcher.moment(10))
        let probe = try write(at: 10)
        let other = try #require(next(at: 10))
        #expect(other.job.routed.job.id == "other" && !other.isProbe)
        #expect(next(at: 10) == nil && !dispatcher.isEmpty)
        dispatcher.settleSent(
            try #require(dispatcher.takeOffWire(probe)), .topic, status: 200, at: dispatcher.moment(20))
        #expect(next(at: 20)?.job.routed.job.id == "good")
        dispatcher.turnEnds()
        #expect(reported == ["sent 0"])
    }

    @Test func sendsProbeOfTopicWhileOtherTopicsAreBusy() throws {
        try handIn("bad", recipients: 2, topic: "a", at: 0)
        let sent = try #require(dispatcher.takeOffWire(try write(at: 0)))
        _ = dispatcher.refuse(sent, .topic, isAmbiguous: true, reason: "r", at: dispatcher.moment(10))
        try handIn("busy", recipients: 3, topic: "b", at: 20)
        let probe = try #require(next(at: 20))
        #expect(probe.job.routed.job.id == "bad" && probe.isProbe, "the only job of a topic must probe it")
        #expect(next(at: 20)?.job.routed.job.id == "busy")
    }

    // MARK: Parts of jobs

    @Test func reportsIndicesOfWholeJobForPartOfJob() throws {
        let text = Job.sampleText(recipients: #"["aa", "bb", "cc", "dd"]"#, [])
        func part() throws -> QueuedJob {
            QueuedJob(RoutedJob(try Job.read(text)), sink: recorder, recipients: [1, 3])
        }
        dispatcher.take(try part(), at: dispatcher.moment(0))
        #expect(next(at: 0)?.recipient == 1)
        #expect(next(at: 0)?.recipient == 3)
        #expect(next(at: 0) == nil && dispatcher.isEmpty)
        refuseCredential()
        dispatcher.take(try part(), at: dispatcher.moment(0))
        dispatcher.turnEnds()
        #expect(recorder.outcomes.map(\.recipient) == [1, 3])
    }

    // MARK: Hosts

    /// Reproduces an outage in which all but two of 200 recipients ended as `RetriesExhausted` without a request.
    @Test func countsNoAttemptDuringOutage() throws {
        try handIn(recipients: 200, at: 0)
        dispatcher.connectFailed(isLast: true, now: 100)
        tick(at: 1_000)
        #expect(reported == [] && dispatcher.waiting == 0, "pushes must wait during a short outage")
        turn(at: 5_100)
        #expect(dispatcher.waiting == 1)
        dispatcher.connectFailed(isLast: true, now: 5_200)
        dispatcher.turnEnds()
        #expect(reported == Array(repeating: "hold 30", count: 200))
        #expect(recorder.outcomes.allSatisfy { $0.reason == "ConnectionFailed" })
    }

    @Test func countsNoAttemptWhileHostIsSilent() throws {
        try handIn(recipients: 3, at: 0)
        _ = try write(at: 0)
        tick(at: 9_999)
        #expect(reported == [])
        tick(at: 10_000)
        turn(at: 15_000)
        #expect(dispatcher.waiting == 1, "the break of the host is over")
        _ = try write(at: 15_000)
        #expect(dispatcher.waiting == 0)
        tick(at: 20_001)
        #expect(reported == ["hold 30"])
        #expect(recorder.outcomes.map(\.reason) == ["NoAnswer"])
    }

    @Test func sendsWaitingPushesWhenHostAnswers() throws {
        try handIn(recipients: 200, at: 0)
        dispatcher.connectFailed(isLast: true, now: 100)
        turn(at: 5_100)
        let probe = try write(at: 5_100)
        dispatcher.health.hostAnswered(now: dispatcher.moment(5_200))
        try accept(probe, at: 5_200)
        #expect(dispatcher.waiting == 199)
    }
}

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

    @Test func probesWithOtherAppsFirst() throws {
        try handIn("bad-0", app: "com.example.bad", at: 0)
        _ = try refuse(write(at: 0), isAmbiguous: false, at: 20)
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

    @Test func reportsCredentialOnceForSeveralRefusedApps() throws {
        let events = Mutex<[Refusal.Event]>([])
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let subject = Refusal.Subject(credential: "1", environment: .production, topic: nil)
        let health = PoolHealth(
            of: subject, service: "the test", breakMilliseconds: 15_000, silenceMilliseconds: 10_000,
            refusals: { event in events.withLock { $0.append(event) } }, logger: logger)
        func sent(_ app: String, _ id: Int) throws -> PushOnWire {
            let text = Job.sampleText([#""id":"\#(id)""#]).replacing("com.example.shop", with: app)
            let job = QueuedJob(RoutedJob(try Job.read(text)), sink: recorder)
            job.health = health.scope(of: job)
            return PushOnWire(push: QueuedPush(job: job, recipient: 0), writtenAt: Int64(id))
        }
        for id in [0, 10, 20] {
            for app in ["a", "b"] {
                _ = health.refused(
                    try sent(app, id), .credential, isAmbiguous: true, reason: "r",
                    now: dispatcher.moment(Int64(id) + 5))
            }
        }
        #expect(events.withLock { $0.count } == 1)
        health.accepted(.credential, try sent("a", 40), now: dispatcher.moment(45))
        #expect(events.withLock { $0 }.suffix(1) == [.ended(subject)] && events.withLock { $0.count } == 2)
    }
}
