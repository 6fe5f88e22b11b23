import Foundations
import Logging
import PushModel
import PushSending
import PushTestSupport
import Testing

/// The refusals that a pool reports.
@Suite struct PoolHealthTests {
    private static let credential = Refusal.Subject(credential: "1", environment: .production, topic: nil)

    private final class Events: Sendable {
        let all = Mutex<[Refusal.Event]>([])
    }

    private final class Pool {
        private let events = Events()
        private let recorder = OutcomeRecorder()
        private(set) lazy var health = PoolHealth(
            of: credential, service: "the test", breakMilliseconds: 15_000, silenceMilliseconds: 10_000,
            refusals: { [events] event in events.all.withLock { $0.append(event) } },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

        /// Returns the reports since the last call: `+` for a refusal that began, and `-` for one that ended, each with
        /// its topic.
        func reports() -> [String] {
            events.all.withLock { events in
                defer { events = [] }
                return events.map { event in
                    switch event {
                    case .began(let refusal): "+ \(refusal.subject.topic ?? "all")"
                    case .ended(let subject): "- \(subject.topic ?? "all")"
                    case .badTokens: "bad tokens"
                    }
                }
            }
        }

        func sent(_ app: String, topic: String? = nil, at now: Int64) throws -> PushOnWire {
            let text = Job.sampleText([#""id":"\#(app)\#(now)""#]).replacing("com.example.shop", with: app)
            let job = QueuedJob(RoutedJob(try Job.read(text)), sink: recorder, topic: topic)
            job.health = health.scope(of: job)
            return PushOnWire(push: QueuedPush(job: job, recipient: 0), writtenAt: now)
        }

        func refuse(_ push: PushOnWire, isAmbiguous: Bool = false) {
            _ = health.refused(
                push, .credential, isAmbiguous: isAmbiguous, reason: "r", now: moment(push.writtenAt + 5))
        }

        func accept(_ push: PushOnWire) { health.accepted(.topic, push, now: moment(push.writtenAt + 5)) }

        func moment(_ uptime: Int64) -> Moment { Moment(wall: Timestamp(milliseconds: uptime), uptime: uptime) }
    }

    @Test func reportsCredentialOnceForSeveralRefusedApps() throws {
        let pool = Pool()
        for time in [0, 10, 20] as [Int64] {
            for app in ["a", "b"] { pool.refuse(try pool.sent(app, at: time), isAmbiguous: true) }
        }
        #expect(pool.reports() == ["+ all"])
        pool.accept(try pool.sent("a", at: 40))
        #expect(pool.reports() == ["- all"])
    }

    @Test func reportsCredentialOnceForSeveralRefusedTopics() throws {
        let pool = Pool()
        for topic in ["a", "b", "c"] { pool.accept(try pool.sent("app", topic: topic, at: 0)) }
        for (time, topic) in [(70_000, "a"), (70_010, "b"), (70_020, "c"), (70_030, "a")] as [(Int64, String)] {
            pool.refuse(try pool.sent("app", topic: topic, at: time))
        }
        #expect(pool.reports() == ["+ all"])
        pool.accept(try pool.sent("app", topic: "b", at: 70_040))
        #expect(pool.reports() == ["- all"])
    }

    /// An accepted push that was written before the refused ones proves nothing.
    @Test func keepsRefusalIfAcceptedPushWasWrittenEarlier() throws {
        let pool = Pool()
        let earlier = try pool.sent("app", topic: "a", at: 60)
        pool.refuse(try pool.sent("app", topic: "b", at: 100))
        pool.accept(earlier)
        #expect(pool.reports() == ["+ all"])
        pool.accept(try pool.sent("app", topic: "a", at: 200))
        #expect(pool.reports() == ["- all"])
    }

    /// Two refused topics are no evidence about the credential while a third one is accepted.
    @Test func reportsTopicsWhileAnotherIsAccepted() throws {
        let pool = Pool()
        var reports: [String] = []
        for round in 0..<8 as Range<Int64> {
            pool.accept(try pool.sent("app", topic: "good", at: round * 2_000))
            for topic in ["x", "y"] { pool.refuse(try pool.sent("app", topic: topic, at: round * 2_000 + 1_500)) }
            reports += pool.reports()
        }
        #expect(reports == ["+ x", "+ y"])
    }

    /// A topic is refused while a GOAWAY holds the credential. Its refusal must outlast that of the credential.
    @Test func reportsTopicThatOutlastsGoAway() throws {
        let pool = Pool()
        for topic in ["a", "b"] { pool.accept(try pool.sent("app", topic: topic, at: 800)) }
        pool.health.refuseCredential(reason: "r", now: pool.moment(1_000))
        for time in [900, 901, 902, 2_000] as [Int64] { pool.refuse(try pool.sent("app", topic: "a", at: time)) }
        #expect(pool.reports() == ["+ all", "+ a"])
        pool.accept(try pool.sent("app", topic: "b", at: 16_000))
        #expect(pool.reports() == ["- all"])
    }

    @Test func reportsCredentialIfSoleTopicIsRefused() throws {
        let pool = Pool()
        pool.refuse(try pool.sent("app", topic: "a", at: 0))
        #expect(pool.reports() == ["+ all"])
        pool.accept(try pool.sent("app", topic: "a", at: 20_000))
        #expect(pool.reports() == ["- all"])
    }

    /// The provider refuses one of two topics, and accepts the other.
    @Test func reportsTopicIfAnotherIsAccepted() throws {
        let pool = Pool()
        for number in 0..<4 as Range<Int64> {
            pool.accept(try pool.sent("app", topic: "good", at: number * 2_000))
            pool.refuse(try pool.sent("app", topic: "bad", at: number * 2_000 + 1_500))
        }
        #expect(pool.reports() == ["+ bad"])
        pool.accept(try pool.sent("app", topic: "good", at: 9_000))
        #expect(pool.reports().isEmpty)
        pool.accept(try pool.sent("app", topic: "bad", at: 30_000))
        #expect(pool.reports() == ["- bad"])
    }
}
