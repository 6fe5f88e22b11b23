import Contract
import DeliveryPipeline
import PushModel
import Testing

@Suite struct OutcomePolicyTests {
    private let policy = OutcomePolicy(retry: RetryPolicy(delays: [5, 60], maximumAttempts: 3, maximumAge: 1_000))

    private func decide(
        _ verdict: Outcome.Verdict, reason: String? = "R", judge: Outcome.Judge = .martlet, attempt: Int = 1,
        redelivered: Bool = false, age: Int64 = 0, more: String = ""
    ) throws -> OutcomePolicy.Decision {
        let job = try routedJob(jobBody(more: more), attempt: attempt, redelivered: redelivered)
        return policy.decide(
            job.outcome(0, verdict, reason: reason, judge: judge),
            firstAttempt: Timestamp(seconds: now.seconds - age))
    }

    @Test func reportsCertainOutcomes() throws {
        #expect(try decide(.sent) == .tell(.sent))
        #expect(try decide(.sent, more: #""results":"problems","#) == .count(.sent))
        #expect(try decide(.rejected) == .tell(.rejected, reason: "R"))
        #expect(try decide(.failed) == .tell(.failed, reason: "R"))
        #expect(
            try decide(.failed, judge: .provider) == .tell(.failed, reason: "CredentialRefused", detail: "R"))
        #expect(try decide(.expired) == .tell(.expired, reason: "R"))
        #expect(try decide(.suppressed) == .tell(.suppressed))
    }

    @Test func marksTokenThatProviderReportsUnregistered() throws {
        #expect(try decide(.unregistered) == .mark(reason: "R"))
        #expect(try decide(.unregistered, reason: nil) == .mark(reason: "Unregistered"))
    }

    @Test func neverReportsPossiblySentPushAsFailed() throws {
        #expect(try decide(.unknown) == .retry(seconds: 5))
        #expect(try decide(.unknown, more: #""at_most_once":true,"#) == .tell(.unknown, reason: "R"))
        #expect(try decide(.unknown, attempt: 3) == .tell(.unknown, reason: "R"))
        #expect(try decide(.unknown, more: #""expires_at":0,"#) == .tell(.unknown, reason: "R"))
        #expect(try decide(.retry, attempt: 3, redelivered: true) == .tell(.unknown, reason: "R"))
        #expect(try decide(.hold, redelivered: true, age: 1_000) == .tell(.unknown, reason: "R"))
    }

    @Test func retriesUnsentPushWhileTimeRemains() throws {
        #expect(try decide(.retry) == .retry(seconds: 5))
        #expect(try decide(.retry, attempt: 2) == .retry(seconds: 60))
        #expect(try decide(.retry, attempt: 3) == .tell(.failed, reason: "RetriesExhausted", detail: "R"))
        #expect(try decide(.retry, age: 1_000) == .tell(.failed, reason: "RetriesExhausted", detail: "R"))
        #expect(try decide(.retry, more: #""expires_at":0,"#) == .tell(.expired, reason: "R"))
    }

    @Test func delaysHeldPushWithoutCountingAttempt() throws {
        #expect(try decide(.hold, attempt: 3) == .hold(seconds: 60))
        #expect(try decide(.hold, age: 1_000) == .tell(.failed, reason: "CredentialRefused", detail: "R"))
        #expect(try decide(.hold, more: #""expires_at":0,"#) == .tell(.expired, reason: "R"))
        #expect(try decide(.returned) == .requeue)
    }

    /// A host that was unreachable for a day did not refuse the credential.
    @Test(arguments: ["ConnectionFailed", "NoAnswer"])
    func reportsRetriesExhaustedForUnreachableHost(_ reason: String) throws {
        #expect(try decide(.hold, reason: reason, attempt: 3) == .hold(seconds: 60))
        #expect(
            try decide(.hold, reason: reason, age: 1_000) == .tell(.failed, reason: "RetriesExhausted", detail: reason))
    }
}
