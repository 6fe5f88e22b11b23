import DeliveryPipeline
import Testing

@Suite struct JobLogTests {
    @Test(arguments: [
        ("none", JobLog.none), ("problems", .problems), ("all", .all), ("sample:0.25", .sample(0.25)),
        ("sample:0", .sample(0)), ("sample:1", .sample(1)),
    ])
    func parsesSetting(text: String, log: JobLog) { #expect(JobLog(text) == log) }

    @Test(arguments: ["", "some", "sample", "sample:", "sample:2", "sample:-1", "sample:nan", "sample:inf", "ALL"])
    func rejectsInvalidSetting(text: String) { #expect(JobLog(text) == nil) }

    @Test func samplesConfiguredShareOfJobs() {
        let ids = (0..<100_000).map { "order-\($0)" }
        for share in [0, 0.01, 0.5, 1] {
            let log = JobLog.sample(share)
            let logged = ids.filter { log.tells($0, hasProblem: false) }
            #expect(abs(Double(logged.count) - share * 100_000) < 800, "\(share): \(logged.count)")
            #expect(logged.allSatisfy { log.tells($0, hasProblem: true) })
        }
        // A larger sample includes every job of a smaller one.
        #expect(
            ids.allSatisfy {
                !JobLog.sample(0.01).tells($0, hasProblem: false) || JobLog.sample(0.5).tells($0, hasProblem: false)
            })
    }

    @Test func selectsJobsBySetting() {
        #expect(JobLog.problems.tells("a", hasProblem: true) && !JobLog.problems.tells("a", hasProblem: false))
        #expect(JobLog.all.tells("a", hasProblem: false) && !JobLog.none.tells("a", hasProblem: true))
    }
}
