import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

/// Tests that a job is acknowledged only after its events are confirmed and its dead tokens are marked.
@Suite struct AcknowledgingTests {
    @Test(arguments: [true, false])
    func acknowledgesJobAfterAllConfirmsAndMarks(sentFirst: Bool) throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(), number: 9)
        let job = try harness.job(0)
        harness.report(job, [.sent, .unregistered], reason: "Unregistered")
        #expect(harness.events.map(\.routingKey) == ["apns.sent.com.example.shop"])
        if sentFirst { try harness.confirmEvent(0) }
        harness.written(try harness.mark(0))
        harness.flush()
        try #require(harness.events.map(\.routingKey).last == "apns.unregistered.com.example.shop")
        #expect(harness.acknowledged == [])
        try harness.confirmEvent(1)
        if !sentFirst {
            #expect(harness.acknowledged == [])
            try harness.confirmEvent(0)
        }
        #expect(harness.acknowledged == [9])
        harness.confirm(harness.events[0], harness.events[1])
        #expect(harness.acknowledged == [9], "a second confirm must have no effect")
        let counts = harness.core.currentCounts()
        #expect(counts.jobsAcknowledged == 1 && counts.jobsOpen == 0 && counts.obligationsOpen == 0)
        #expect(counts.outcomes == ["sent": 1, "unregistered": 1] && counts.tokensMarked == 1)
    }

    @Test func doesNotAcknowledgeHalfReportedJob() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody())
        let job = try harness.job(0)
        harness.report(job, [job.outcome(1, .sent)])
        try harness.confirmEvent(0)
        #expect(harness.acknowledged == [])
        harness.report(job, [job.outcome(0, .sent)])
        try harness.confirmEvent(1)
        #expect(harness.acknowledged == [1])
    }

    @Test func acknowledgesJobsThatShareAnEventTogether() throws {
        let harness = PipelineHarness()
        harness.deliver([.sample(jobBody("1"), number: 1), .sample(jobBody("2"), number: 2)])
        harness.core.report(harness.output.jobs.flatMap { [$0.outcome(0, .sent), $0.outcome(1, .sent)] })
        harness.flush()
        try #require(harness.events.count == 1)
        try harness.confirmEvent(0)
        #expect(harness.acknowledged == [1, 2])
    }

    @Test func publishesNoSentEventForProblemsOnlyJob() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(more: #""results":"problems","#), number: 5)
        let job = try harness.job(0)
        harness.report(job, [job.outcome(0, .sent)])
        #expect(harness.acknowledged == [])
        harness.report(job, [job.outcome(1, .sent)])
        #expect(harness.acknowledged == [5])
        #expect(harness.published.map(\.routingKey) == [])
        #expect(harness.core.currentCounts().outcomes == ["sent": 2])
    }

    @Test func waitsForProblemEventsOfProblemsOnlyJob() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(more: #""results":"problems","#), number: 5)
        harness.report(try harness.job(0), [.sent, .rejected], reason: "BadDeviceToken")
        #expect(harness.events.map(\.routingKey) == ["apns.rejected.com.example.shop"])
        #expect(harness.acknowledged == [])
        try harness.confirmEvent(0)
        #expect(harness.acknowledged == [5])
    }

    @Test func flagsOutcomesOfRedeliveredJob() throws {
        for (redelivered, headers) in [
            (false, [:]), (true, [:]), (false, ["x-martlet-redelivered": true]),
        ] as [(Bool, AMQPFieldTable)] {
            let harness = PipelineHarness()
            harness.deliver(jobBody(), properties: AMQPProperties(headers: headers), redelivered: redelivered)
            harness.report(try harness.job(0), [.sent, .sent])
            let expected = redelivered || !headers.isEmpty ? "1" : nil
            #expect(try harness.outcomes().map { $0["redelivered"] } == [expected, expected])
        }
    }

    @Test func copiesTraceparentUnlessTooLong() throws {
        for (given, carried) in [("00-trace", "00-trace"), (String(repeating: "x", count: 256), nil)] {
            let harness = PipelineHarness()
            harness.deliver(
                jobBody(), properties: AMQPProperties(headers: ["traceparent": .string(given)]))
            harness.report(try harness.job(0), [.sent, .sent])
            #expect(harness.events.map { $0.properties.headers["traceparent"]?.string } == [carried])
        }
    }

    @Test func reportsRefusedCredentialAsReason() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody())
        let job = try harness.job(0)
        harness.report(
            job,
            [
                job.outcome(0, .failed, reason: "InvalidProviderToken", judge: .provider),
                job.outcome(1, .failed, reason: "CredentialUnusable"),
            ])
        #expect(
            try harness.outcomes().map { [$0["kind"], $0["reason"], $0["detail"]] } == [
                ["failed", "CredentialRefused", "InvalidProviderToken"], ["failed", "CredentialUnusable", nil],
            ])
    }
}
