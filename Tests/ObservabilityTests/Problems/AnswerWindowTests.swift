import Metering
import Observability
import Testing

@Suite struct AnswerWindowTests {
    /// The share of one output does not depend on the traffic of the others.
    @Test func countsAnswersByOutputOverOneMinute() throws {
        let registry = MetricRegistry()
        let fine = registry.histogram(.answers, ["apns", "production", "200"])
        let (good, bad) = (
            registry.histogram(.answers, ["fcm", "production", "200"]),
            registry.histogram(.answers, ["fcm", "production", "5xx"])
        )
        let unlisted = registry.histogram(.answers, ["fcm", "production", "other"])
        var window = AnswerWindow()
        let start = ContinuousClock.now
        fine.observe(20, times: 1_000)
        good.observe(20, times: 1_000)
        for second in stride(from: 0, through: 120, by: 2) {
            fine.observe(20, times: 100)
            if second > 60 { bad.observe(3_000, times: 4) }
            // A status without a label of its own, such as 401 or 422.
            if second > 118 { unlisted.observe(3_000, times: 2) }
            window.look(at: registry.page(of: AnswerWindow.families), now: start + .seconds(second))
        }
        #expect(
            window.minute == [
                AnswerShare(
                    output: "apns", environment: "production", answers: 3_000, accepted: 3_000, refused: 0, failed: 0,
                    p50: 18, p99: 25),
                AnswerShare(
                    output: "fcm", environment: "production", answers: 122, accepted: 0, refused: 2, failed: 120,
                    p50: 3_500, p99: 4_970),
            ])
    }
}
