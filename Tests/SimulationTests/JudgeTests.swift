import FleetSimulation
import Testing

/// Tests that the judge finds each flaw, and reports only the promise that the flaw breaks.
@Suite struct JudgeTests {
    @Test(arguments: [
        (Flaw.losesOutcome, "P1 nothing is lost"), (.repeatsOutcome, "P2 one outcome for each recipient"),
        (.repeatsPush, "P2 no push is accepted twice"), (.inventsOutcome, "P2 only published pushes are reported"),
        (.rejectsJob, "P1 no job is rejected"),
        (.reportsUnsentAsSent, "P3 outcomes are true"), (.killsLivingToken, "P3 outcomes are true"),
        (.forgetsMark, "P1 dead tokens are marked"), (.isLate, "P5 healthy apps do not wait"),
        (.isEarly, "no push is early"), (.isRestless, "P11 waiting jobs are not published again and again"),
    ])
    func reportsOnlyBrokenPromise(flaw: Flaw, promise: String) {
        #expect(Flaw.none.violations.isEmpty, "\(Flaw.none.violations)")
        #expect(flaw.violations.map(\.promise) == [promise], "\(flaw.violations)")
    }
}
