import AMQPClient
import DeliveryPipeline
import PushModel
import Store
import Testing

/// Jobs that are split twice. A worker crashes after it has published a job's chunks and before it acknowledges the
/// job. Another worker splits the job again.
@Suite struct SplitTwiceTests {
    /// A fleet whose workers share only the broker and the claims.
    private final class Fleet {
        private var claimed: [ClaimKey: ClaimRequest] = [:]
        private var number: UInt64 = 0
        private var answered: [ObjectIdentifier: Int] = [:]

        /// Delivers a job to a worker, answers its claims, and confirms and returns its publications.
        func deliver(
            _ body: String, _ properties: AMQPProperties = AMQPProperties(), redelivered: Bool = false,
            to worker: PipelineHarness
        ) -> [AMQPPublication] {
            let before = worker.published.count
            number += 1
            worker.deliver(body, number: number, properties: properties, redelivered: redelivered)
            let seen = answered[ObjectIdentifier(worker.core), default: 0]
            for batch in worker.claims.dropFirst(seen) {
                worker.claimed(batch, batch.requests.map(answer))
            }
            answered[ObjectIdentifier(worker.core)] = worker.claims.count
            var chunks = before
            while chunks < worker.published.count {
                worker.confirm(worker.published[chunks])
                chunks += 1
            }
            return Array(worker.published[before...])
        }

        private func answer(_ request: ClaimRequest) -> ClaimAnswer {
            guard let holder = claimed[request.key], holder.owner != request.predecessor else {
                claimed[request.key] = request
                return .claimed
            }
            return holder.content == request.content ? .taken : .differs
        }

        /// Delivers publications to the workers in turn, including the publications that result, until none is left.
        func deliverAll(_ publications: [AMQPPublication], to workers: PipelineHarness...) {
            var waiting = publications[...]
            var turn = 0
            while let next = waiting.popFirst() {
                guard next.exchange == "martlet.moved" else { continue }
                waiting += deliver(
                    String(decoding: next.body, as: UTF8.self), next.properties, to: workers[turn % workers.count])
                turn += 1
            }
        }
    }

    private func body(recipients: Int, more: String) -> String {
        let tokens = (0..<recipients).map { "\"\(String($0 + 0x1_0000, radix: 16))\"" }.joined(separator: ",")
        return
            #"{"id":"big","app":"com.example.shop",\#(more)"payload":{"aps":{"alert":"Hi"}},"recipients":[\#(tokens)]}"#
    }

    private func worker(chunkSize: Int, window: Int) -> PipelineHarness {
        PipelineHarness { ($0.limits.chunkSize, $0.limits.deduplicationWindow) = (chunkSize, window) }
    }

    /// Returns the recipients of all jobs that the workers' outputs received, with repetitions.
    private func sent(by workers: PipelineHarness...) -> [String] {
        workers.flatMap { $0.output.jobs.map(\.job) }.flatMap { job in
            job.recipients.map { String(decoding: job.bytes($0.token), as: UTF8.self) }
        }
    }

    @Test(arguments: [(100, 500), (500, 100), (300, 1_000), (1_000, 300)], [499, 500, 501, 800, 1_000, 1_001])
    func sendsAtMostOnceJobOnceForAnyChunkSizes(_ sizes: (Int, Int), recipients: Int) {
        let (first, second) = (worker(chunkSize: sizes.0, window: 0), worker(chunkSize: sizes.1, window: 0))
        let (fleet, body) = (Fleet(), body(recipients: recipients, more: #""at_most_once":true,"#))
        let made = fleet.deliver(body, to: first)
        let madeAgain = fleet.deliver(body, redelivered: true, to: second)
        // Each worker receives chunks of both splits.
        for (index, chunk) in (made + madeAgain).enumerated() where chunk.exchange == "martlet.moved" {
            let more = fleet.deliver(
                String(decoding: chunk.body, as: UTF8.self), chunk.properties, to: index % 2 == 0 ? first : second)
            #expect(more.isEmpty, "a chunk must not be split again")
        }
        let sent = sent(by: first, second)
        #expect(sent.count == recipients && Set(sent).count == recipients)
    }

    @Test(arguments: [(100, 500), (500, 100), (300, 1_000)])
    func sendsTwicePublishedJobOnceForAnyChunkSizes(_ sizes: (Int, Int)) {
        let (first, second) = (worker(chunkSize: sizes.0, window: 60), worker(chunkSize: sizes.1, window: 60))
        let (fleet, body) = (Fleet(), body(recipients: 1_001, more: ""))
        fleet.deliverAll(fleet.deliver(body, to: first) + fleet.deliver(body, to: second), to: first, second)
        let sent = sent(by: first, second)
        #expect(sent.count == 1_001 && Set(sent).count == 1_001)
    }

    /// The name by which a job is split is unique, even if the job has no id.
    @Test(arguments: [(100, 500), (500, 100), (300, 1_000)], [true, false])
    func sendsTwiceSplitJobOnceForAnyChunkSizes(_ sizes: (Int, Int), hasID: Bool) throws {
        let (first, second) = (worker(chunkSize: sizes.0, window: 0), worker(chunkSize: sizes.1, window: 0))
        var body = body(recipients: 1_100, more: "")
        if !hasID { body = body.replacing(#""id":"big","#, with: "") }
        let fleet = Fleet()
        let named = try #require(fleet.deliver(body, to: first).first)
        let made = fleet.deliver(body, named.properties, to: first)
        let madeAgain = fleet.deliver(body, named.properties, redelivered: true, to: second)
        #expect(made.count == madeAgain.count && made.count > 1)
        fleet.deliverAll(made + madeAgain, to: first, second)
        let sent = sent(by: first, second)
        #expect(sent.count == 1_100 && Set(sent).count == 1_100)
        #expect(Set((first.output.jobs + second.output.jobs).map(\.job.id)).count == 1)
    }

    /// Parts of a campaign may share an id, and a job may be published twice on purpose. Each must be sent, even if one
    /// is redelivered before it is split.
    @Test(arguments: [true, false], [true, false])
    func sendsAllJobsThatShareIDOrHaveNone(hasID: Bool, isSame: Bool) {
        let workers = [worker(chunkSize: 100, window: 0), worker(chunkSize: 100, window: 0)]
        func part(_ more: String) -> String {
            let body = body(recipients: 1_000, more: more)
            return hasID ? body : body.replacing(#""id":"big","#, with: "")
        }
        let fleet = Fleet()
        fleet.deliverAll(fleet.deliver(part(""), to: workers[0]), to: workers[0], workers[1])
        #expect(sent(by: workers[0], workers[1]).count == 1_000)
        let second = fleet.deliver(part(isSame ? "" : #""priority":5,"#), redelivered: true, to: workers[1])
        fleet.deliverAll(second, to: workers[0], workers[1])
        #expect(sent(by: workers[0], workers[1]).count == 2_000)
    }
}
