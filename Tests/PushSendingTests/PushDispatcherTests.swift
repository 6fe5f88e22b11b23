import Logging
import PushModel
import PushSending
import PushTestSupport
import Testing
import Foundations
import HTTP2Pool

/// The choice of pushes to send while a credential, topic or host is refused or unreachable.
@Suite struct PushDispatcherTests {
    let recorder = OutcomeRecorder()
    let dispatcher: CredentialDispatcher

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

    func handIn(
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

    func turn(at now: Int64) {
        dispatcher.turnBegins(now: now)
        dispatcher.turnEnds()
    }

    func next(at now: Int64) -> QueuedPush? { dispatcher.next(onlyUrgent: false, at: dispatcher.moment(now)) }

    /// Puts the next push on the wire.
    func write(at now: Int64) throws -> Int { dispatcher.putOnWire(try #require(next(at: now))) }

    func refuse(_ tag: Int, isAmbiguous: Bool, at now: Int64) throws -> RefusalConsequence {
        let sent = try #require(dispatcher.takeOffWire(tag))
        defer { dispatcher.turnEnds() }
        return dispatcher.refuse(sent, isAmbiguous: isAmbiguous, reason: "r", at: dispatcher.moment(now))
    }

    func accept(_ tag: Int, at now: Int64) throws {
        dispatcher.settleSent(
            try #require(dispatcher.takeOffWire(tag)), .credential, status: 200, at: dispatcher.moment(now))
        dispatcher.turnEnds()
    }

    /// Settles pushes that cannot wait, as the output does once a second.
    func tick(at now: Int64) {
        dispatcher.tick(now: now)
        dispatcher.turnEnds()
    }

    func refuseCredential() {
        dispatcher.refuseCredential(reason: "r", at: dispatcher.moment(0))
        dispatcher.turnEnds()
    }

    var reported: [String] { recorder.outcomes.map { "\($0.verdict) \($0.retryAfterSeconds)" } }

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
