import AMQPClient
import CredentialStore
import DeliveryPipeline
import PushModel
import Testing

/// A worker dies between publishing a job's chunks and acknowledging the job, and another one splits it again.
@Suite struct SplitTwiceTests {
    /// Workers that share nothing but the broker and the claims, as they do.
    private final class Fleet {
        private var claimed: Set<ClaimKey> = []
        private var number: UInt64 = 0
        private var answered: [ObjectIdentifier: Int] = [:]

        /// Hands a worker a job, answers what it asks, and confirms what it publishes.
        /// - Returns: the chunks that it has made.
        func deliver(
            _ body: String, _ properties: AMQPProperties = AMQPProperties(), redelivered: Bool = false,
            to worker: PipelineHarness
        ) -> [AMQPPublication] {
            let before = worker.published.count
            number += 1
            worker.deliver(body, number: number, properties: properties, redelivered: redelivered)
            let seen = answered[ObjectIdentifier(worker.core), default: 0]
            for batch in worker.claims.dropFirst(seen) {
                worker.claimed(batch, fresh: batch.keys.filter { claimed.insert($0).inserted })
            }
            answered[ObjectIdentifier(worker.core)] = worker.claims.count
            var chunks = before
            while chunks < worker.published.count {
                worker.confirm(worker.published[chunks])
                chunks += 1
            }
            return Array(worker.published[before...])
        }
    }

    private func body(recipients: Int, more: String) -> String {
        let tokens = (0..<recipients).map { "\"\(String($0 + 0x1_0000, radix: 16))\"" }.joined(separator: ",")
        return
            #"{"id":"big","app":"com.example.shop",\#(more)"payload":{"aps":{"alert":"Hi"}},"recipients":[\#(tokens)]}"#
    }

    private func worker(chunkSize: Int, window: Int) -> PipelineHarness {
        PipelineHarness { ($0.chunkSize, $0.deduplicationWindow) = (chunkSize, window) }
    }

    /// Each recipient as often as a worker hands it to its output.
    private func sent(by workers: PipelineHarness...) -> [String] {
        workers.flatMap { $0.output.jobs.map(\.job) }.flatMap { job in
            job.recipients.map { String(decoding: job.bytes($0.token), as: UTF8.self) }
        }
    }

    @Test(arguments: [(100, 500), (500, 100), (300, 1_000), (1_000, 300)], [499, 500, 501, 800, 1_000, 1_001])
    func atMostOnceHoldsWhateverTheChunkSizes(_ sizes: (Int, Int), recipients: Int) {
        let (first, second) = (worker(chunkSize: sizes.0, window: 0), worker(chunkSize: sizes.1, window: 0))
        let (fleet, body) = (Fleet(), body(recipients: recipients, more: #""at_most_once":true,"#))
        let made = fleet.deliver(body, to: first)
        let madeAgain = fleet.deliver(body, redelivered: true, to: second)
        // Each worker gets some of both.
        for (index, chunk) in (made + madeAgain).enumerated() where chunk.exchange == "martlet.jobs" {
            let more = fleet.deliver(
                String(decoding: chunk.body, as: UTF8.self), chunk.properties, to: index % 2 == 0 ? first : second)
            #expect(more.isEmpty, "a chunk is not split again")
        }
        let sent = sent(by: first, second)
        #expect(sent.count == recipients && Set(sent).count == recipients)
    }

    @Test(arguments: [(100, 500), (500, 100), (300, 1_000)])
    func aJobPublishedTwiceIsSentOnceWhateverTheChunkSizes(_ sizes: (Int, Int)) {
        let (first, second) = (worker(chunkSize: sizes.0, window: 60), worker(chunkSize: sizes.1, window: 60))
        let (fleet, body) = (Fleet(), body(recipients: 1_001, more: ""))
        let made = fleet.deliver(body, to: first) + fleet.deliver(body, to: second)
        #expect(made.count == 6)
        for chunk in made {
            #expect(fleet.deliver(String(decoding: chunk.body, as: UTF8.self), chunk.properties, to: first).isEmpty)
        }
        let sent = sent(by: first, second)
        #expect(sent.count == 1_001 && Set(sent).count == 1_001)
    }

    /// Where nobody asks for more, each worker's setting goes.
    @Test func anyOtherJobIsSplitAsTheWorkerSays() {
        let (fleet, worker) = (Fleet(), worker(chunkSize: 100, window: 0))
        #expect(fleet.deliver(body(recipients: 250, more: ""), to: worker).count == 3)
        let deduplicating = self.worker(chunkSize: 100, window: 60)
        let nameless = body(recipients: 250, more: "").replacing(#""id":"big","#, with: "")
        #expect(fleet.deliver(nameless, to: deduplicating).count == 3)
    }
}
