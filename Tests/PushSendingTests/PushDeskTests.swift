import Logging
import PushModel
import PushSending
import PushTestSupport
import Testing

/// What becomes of the push that finds out whether a credential is still refused.
@Suite struct PushDeskTests {
    private let recorder = OutcomeRecorder()
    private let desk: PushDesk

    init() {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let subject = Refusal.Subject(credential: "1", environment: .production, topic: nil)
        desk = PushDesk(
            health: PoolHealth(
                of: subject, service: "the test", breakMilliseconds: 1_000, silenceMilliseconds: 10_000,
                refusals: { _ in }, logger: logger),
            badTokens: BadTokenBoard(of: subject, mixUp: ("r", "?"), refusals: { _ in }, logger: logger),
            clock: { Timestamp(seconds: 1_000) })
    }

    /// Hands one in, when the time of the refusal is over.
    private func handIn(_ members: String..., recipients: Int = 1, at now: Int64) throws -> QueuedPush? {
        let tokens = (0..<recipients).map { "\"aa0\($0)\"" }.joined(separator: ",")
        let job = try Job.read(Job.sampleText(recipients: "[\(tokens)]", members))
        _ = desk.handIn(QueuedJob(RoutedJob(job), sink: recorder))
        desk.turnBegins(now: now)
        defer { desk.turnEnds() }
        return desk.next(onlyUrgent: false, at: desk.moment(now))
    }

    private func refuse() { desk.refuseCredential(reason: "r", at: desk.moment(0)) }

    private var verdicts: [Outcome.Verdict] { recorder.outcomes.map(\.verdict) }

    @Test func onlyOneGoes() throws {
        refuse()
        #expect(try handIn(recipients: 3, at: 1_000)?.isProbe == true)
        #expect(try handIn(at: 1_001) == nil)
        #expect(verdicts == [.hold, .hold, .hold])
    }

    @Test func oneThatExpiresIsFollowedByTheNext() throws {
        refuse()
        #expect(try handIn(#""expires_at":"1970-01-01T00:00:01Z""#, at: 1_000) == nil)
        #expect(verdicts == [.expired])
        #expect(try handIn(at: 1_001)?.isProbe == true)
    }

    @Test func oneThatIsCancelledIsFollowedByTheNext() throws {
        refuse()
        let job = try Job.read(Job.sampleText())
        _ = desk.handIn(QueuedJob(RoutedJob(job), sink: recorder))
        desk.cancel({ _ in true }, now: 1_000)
        desk.turnEnds()
        #expect(verdicts == [.failed])
        #expect(try handIn(at: 1_001)?.isProbe == true)
    }

    /// Such as one for a token that does not exist.
    @Test func oneWhoseAnswerSaysNothingOfItIsFollowedByTheNext() throws {
        refuse()
        let tag = desk.putOnWire(try #require(try handIn(at: 1_000)))
        #expect(try handIn(at: 1_001) == nil, "it is on its way")
        #expect(desk.takeOffWire(tag) != nil)
        desk.turnEnds()
        #expect(try handIn(at: 1_002)?.isProbe == true)
    }

    /// It is the probe still, or no other one may go.
    @Test func oneThatWasNotProcessedGoesAgain() throws {
        refuse()
        desk.unprocessed(desk.putOnWire(try #require(try handIn(at: 1_000))), now: 1_001)
        desk.turnEnds()
        let again = desk.next(onlyUrgent: false, at: desk.moment(1_002))
        #expect(again?.isProbe == true && again?.resends == 1)
        #expect(try handIn(at: 1_003) == nil && verdicts == [.hold])
    }

    /// What was under way when the refusal came is not sent behind it as if nothing had been.
    @Test func whatComesBackAfterItsTimeIsTheProbe() throws {
        let tag = desk.putOnWire(try #require(try handIn(at: 0)))
        refuse()
        desk.unprocessed(tag, now: 1_001)
        #expect(desk.next(onlyUrgent: false, at: desk.moment(1_002))?.isProbe == true)
        #expect(try handIn(at: 1_003) == nil && verdicts == [.hold])
    }
}
