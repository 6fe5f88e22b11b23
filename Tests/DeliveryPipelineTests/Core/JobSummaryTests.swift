import AMQPClient
import DeliveryPipeline
import PushModel
import TestSupport
import Testing

/// Tests of the log line for a finished job.
@Suite struct JobSummaryTests {
    private let log = LogRecorder()
    private static let five =
        #"{"id":"five","app":"com.example.shop","payload":{"n":1.0},"recipients":["a0","a1","a2","a3","a4"]}"#

    private func harness(_ jobLog: JobLog) -> PipelineHarness {
        PipelineHarness(logger: log.logger("test")) { $0.limits.jobLog = jobLog }
    }

    private func finish(
        _ verdicts: [Outcome.Verdict], in harness: PipelineHarness, properties: AMQPProperties = AMQPProperties()
    ) throws {
        harness.deliver(Self.five, lane: .urgent, properties: properties)
        harness.report(try harness.job(0), verdicts, reason: "PayloadTooLarge")
        #expect(!log.text.contains("Job finished"), "the line must not precede the confirm")
        for message in harness.published { harness.confirm(message) }
        #expect(harness.acknowledged == [1])
    }

    @Test func logsCountsWithoutTokensOrPayload() throws {
        let harness = harness(.all)
        try finish([.sent, .rejected, .sent, .rejected, .retry], in: harness)
        for part in [
            "info Job finished ", "\"job\": five", "\"app\": com.example.shop", "\"lane\": urgent",
            "\"recipients\": 5",
            "\"sent\": 2", "\"rejected\": 2", "\"retried\": 1", "\"attempt\": 1", "\"redelivered\": false",
            "\"reason\": PayloadTooLarge", "\"event.name\": job.done",
        ] {
            #expect(log.text.contains(part), "\(part) in \(log.text)")
        }
        #expect(!log.text.contains("a1") && !log.text.contains("1.0"))
    }

    @Test(arguments: [
        ([Outcome.Verdict.sent, .sent, .sent, .sent, .sent], false),
        ([.sent, .sent, .sent, .sent, .suppressed], false),
        ([.sent, .sent, .sent, .sent, .retry], false), ([.sent, .sent, .sent, .sent, .rejected], true),
        ([.expired, .sent, .sent, .sent, .sent], true),
    ])
    func logsJobAsProblemUnlessSentSuppressedOrRetried(verdicts: [Outcome.Verdict], isTold: Bool) throws {
        try finish(verdicts, in: harness(.problems))
        #expect(log.text.contains("job.problems") == isTold, "\(log.text)")
        #expect(!log.text.contains("job.done"))
    }

    @Test func logsNothingIfSetToNone() throws {
        try finish([.rejected, .rejected, .rejected, .rejected, .rejected], in: harness(.none))
        #expect(log.text.isEmpty, "\(log.text)")
    }

    @Test func logsJobThatReachedNoOutput() {
        let harness = PipelineHarness(apps: [.shop], credentials: [], logger: log.logger("test")) {
            $0.limits.jobLog = .problems
            $0.limits.maximumAge = 1
        }
        harness.deliver(
            Self.five, properties: AMQPProperties(headers: ["x-martlet-first-attempt": .int64(1_000)], timestamp: 1))
        harness.flush()
        for message in harness.published { harness.confirm(message) }
        #expect(log.text.contains("\"failed\": 5") && log.text.contains("\"sent\": 0"), "\(log.text)")
        #expect(log.text.contains("\"reason\": NoCredential") && log.text.contains("\"age_s\""), "\(log.text)")
    }

    @Test func stopsLoggingAfterReload() throws {
        let harness = harness(.all)
        harness.core.reconfigure(PipelineLimits())
        try finish([.sent, .sent, .sent, .sent, .rejected], in: harness)
        #expect(log.text.isEmpty, "\(log.text)")
    }
}
