import HTTP2Pool
import Logging
import PushModel
import PushSending
import PushTestSupport
import Testing

/// A host that accepts connections and sends no answers.
@Suite struct SilentHostTests {
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

    private func handIn(_ id: String = "1", at now: Int64) throws {
        let job = RoutedJob(try Job.read(Job.sampleText(recipients: #"["aa"]"#, [#""id":"\#(id)""#])))
        _ = dispatcher.handIn(QueuedJob(job, sink: recorder))
        dispatcher.turnBegins(now: now)
        dispatcher.turnEnds()
    }

    /// Queues a job and sends its push, which gets no answer.
    private func timeOut(_ id: String, at now: Int64) throws {
        try handIn(id, at: now)
        let push = try #require(dispatcher.next(onlyUrgent: false, at: dispatcher.moment(now)))
        #expect(!push.isProbe)
        dispatcher.lost(dispatcher.putOnWire(push), .timeout, now: now + 30_000)
        dispatcher.turnEnds()
    }

    /// A receiver may hang on the same payload at each attempt.
    @Test func keepsSendingWhenOneJobTimesOut() throws {
        for attempt in 0..<5 {
            try timeOut("silent", at: Int64(attempt) * 60_000)
            try handIn("other", at: Int64(attempt) * 60_000 + 30_001)
            #expect(dispatcher.waiting == 1, "attempt \(attempt)")
            _ = dispatcher.next(onlyUrgent: false, at: dispatcher.moment(Int64(attempt) * 60_000 + 30_001))
        }
        #expect(recorder.outcomes.map(\.verdict) == Array(repeating: .unknown, count: 5))
    }

    @Test func opensBreakerOfHostAfterTimeoutsOfThreeJobs() throws {
        for job in 0..<3 { try timeOut("\(job)", at: Int64(job) * 30_000) }
        try handIn("other", at: 90_001)
        #expect(dispatcher.waiting == 0)
    }

    @Test func forgetsTimeoutsOnAnswer() throws {
        for job in 0..<2 { try timeOut("\(job)", at: Int64(job) * 30_000) }
        dispatcher.health.hostAnswered(now: dispatcher.moment(60_001))
        try timeOut("2", at: 60_002)
        try handIn("other", at: 90_003)
        #expect(dispatcher.waiting == 1)
    }

    @Test func opensBreakerForLongerAfterEachUnansweredProbe() throws {
        try handIn(at: 0)
        dispatcher.connectFailed(isLast: true, now: 0)
        var openings: [Int64] = []
        var opened: Int64 = 0
        for _ in 0..<5 {
            var now = opened
            while dispatcher.waiting == 0 {
                now += 100
                try handIn(at: now)
            }
            openings.append(now - opened)
            let probe = try #require(dispatcher.next(onlyUrgent: false, at: dispatcher.moment(now)))
            #expect(probe.isProbe)
            opened = now + 30_000
            dispatcher.lost(dispatcher.putOnWire(probe), .timeout, now: opened)
            dispatcher.turnEnds()
        }
        // Jitter shortens each opening by at most a tenth.
        for (opening, longest) in zip(openings, [5_000, 10_000, 20_000, 40_000, 60_000] as [Int64]) {
            #expect((longest * 9 / 10...longest + 100).contains(opening), "\(openings)")
        }
        #expect(recorder.outcomes.contains { $0.verdict == .hold && $0.reason == "NoAnswer" })
    }
}
