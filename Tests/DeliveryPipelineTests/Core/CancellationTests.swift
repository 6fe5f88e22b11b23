import AMQPClient
import DeliveryPipeline
import PushModel
import Store
import Testing

/// Cancellation of jobs that the pipeline has already received.
@Suite struct CancellationTests {
    private func cancel(_ harness: PipelineHarness, _ jobs: Set<String> = ["order-1"]) {
        harness.cancellations(.changed(jobs.map { .init(job: $0, isCancelled: true) }))
        harness.flush()
    }

    private func told(_ harness: PipelineHarness) throws -> [String] {
        try harness.outcomes().map { "\($0["job"] ?? "") \($0["kind"] ?? "") \($0["reason"] ?? "")" }
    }

    @Test func forwardsCancellationToOutput() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(), number: 1)
        harness.deliver(jobBody("order-2"), number: 2)
        cancel(harness)
        #expect(harness.output.cancelledJobs == ["order-1"])
        #expect(try told(harness) == [], "only the output may report these outcomes")
    }

    @Test func doesNotSendCancelledJobThatWaitsForClaim() throws {
        let harness = PipelineHarness()
        harness.deliver(jobBody(more: #""at_most_once":true,"#), number: 1)
        let batch = try #require(harness.claims.first)
        cancel(harness)
        harness.claimed(batch, fresh: batch.keys)
        harness.flush()
        #expect(harness.started == [])
        #expect(try told(harness) == ["order-1 failed Cancelled", "order-1 failed Cancelled"])
        for event in harness.events { harness.confirm(event) }
        #expect(harness.acknowledged == [1])
    }

    /// The job is cancelled during the look-up of its tokens. The look-up then succeeds or fails.
    @Test(arguments: [true, false])
    func doesNotSendCancelledJobDuringTokenLookUp(isAnswered: Bool) throws {
        let harness = PipelineHarness()
        var filter = DeadTokenFilter(expecting: 2, maximumBytes: 1 << 20)
        let seed = TokenHash.seed(output: "apns", app: "com.example.shop", environment: .production)
        for token in ["aa01", "aa02"] {
            filter.insert(Array(token.utf8).withUnsafeBytes { TokenHash.hash($0, seed: seed) })
        }
        harness.core.received(.loaded(filter))
        harness.deliver(jobBody(), number: 1)
        let lookUp = try #require(harness.recorder.withRecord { $0.lookUps }.first)
        cancel(harness)
        harness.core.lookedUp(lookUp.id, deaths: isAnswered ? [:] : nil)
        harness.flush()
        #expect(harness.started == [])
        #expect(try told(harness) == ["order-1 failed Cancelled", "order-1 failed Cancelled"])
        for event in harness.events { harness.confirm(event) }
        #expect(harness.acknowledged == [1])
    }
}
