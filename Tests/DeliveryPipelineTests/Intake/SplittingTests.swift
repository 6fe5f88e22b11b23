import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Testing

@Suite struct SplittingTests {
    private func harness(chunkSize: Int) -> PipelineHarness { PipelineHarness { $0.limits.chunkSize = chunkSize } }

    /// Delivers a job that was republished with the name by which it is split.
    private func deliver(
        _ body: String, to harness: PipelineHarness, number: UInt64 = 1, lane: Lane = .normal, chunkSize: Int,
        redelivered: Bool = false
    ) {
        harness.deliver(
            body, number: number, lane: lane,
            properties: AMQPProperties(
                headers: ["x-martlet-part": "7f", "x-martlet-chunk-size": .int64(Int64(chunkSize))]),
            redelivered: redelivered)
    }

    private func body(recipients: Int, more: String = "") -> String {
        let tokens = (0..<recipients).map { "\"\(String($0 + 0x1_0000, radix: 16))\"" }.joined(separator: ",")
        return
            #"{"id":"big","app":"com.example.shop",\#(more)"payload":{"aps":{"alert":"Hi"}},"recipients":[\#(tokens)]}"#
    }

    private func tokens(_ publication: AMQPPublication) throws -> [String] {
        let job = try decodedJob(String(decoding: publication.body, as: UTF8.self))
        return job.recipients.map { String(decoding: job.bytes($0.token), as: UTF8.self) }
    }

    @Test func namesJobBeforeSplit() throws {
        let harness = harness(chunkSize: 3)
        harness.deliver(body(recipients: 8), number: 5, lane: .bulk)
        #expect(harness.started == [] && harness.moved == ["martlet.moved bulk.returned"])
        let named = try #require(harness.published.first)
        #expect(named.body == Array(body(recipients: 8).utf8))
        #expect(named.properties.headers["x-martlet-part"]?.string?.isEmpty == false)
        #expect(named.properties.headers["x-martlet-chunk-size"] == 3)
        #expect(named.properties.headers["x-martlet-redelivered"] == nil && named.properties.messageID == nil)
        #expect(harness.acknowledged == [])
        harness.confirm(named)
        #expect(harness.acknowledged == [5] && harness.core.currentCounts().jobsSplit == 0)
    }

    /// If the headers were trusted, a publisher could make a worker send a million recipients as one job, which would
    /// block other jobs.
    @Test(arguments: ["x-martlet-chunk", "x-martlet-chunk-size"])
    func ignoresSplitHeadersOfPublishers(header: String) throws {
        let harness = PipelineHarness(brokerUser: "workers") { $0.limits.chunkSize = 3 }
        let forged: AMQPFieldTable = [
            "x-martlet-part": "mine", header: header == "x-martlet-chunk" ? true : 1_000_000,
        ]
        harness.deliver(body(recipients: 8), properties: AMQPProperties(headers: forged, userID: "a publisher"))
        let named = try #require(harness.published.first).properties.headers
        #expect(harness.started == [] && harness.published.count == 1)
        #expect(named["x-martlet-chunk-size"] == 3 && named["x-martlet-chunk"] == nil)
        #expect(named["x-martlet-part"] != "mine")
    }

    @Test func assignsIDWhenNamingJobWithoutID() throws {
        let harness = harness(chunkSize: 3)
        let nameless = body(recipients: 8).replacing(#""id":"big","#, with: "")
        harness.deliver(nameless)
        let properties = try #require(harness.published.first).properties
        let id = try #require(properties.messageID)
        harness.deliver(nameless, number: 2, properties: properties)
        #expect(harness.published.count == 4)
        #expect(harness.published[1...].allSatisfy { $0.properties.messageID == id })
    }

    @Test func acknowledgesSplitJobAfterAllChunkConfirms() throws {
        let harness = harness(chunkSize: 3)
        deliver(body(recipients: 8), to: harness, number: 5, lane: .bulk, chunkSize: 3)
        #expect(harness.started == [])
        #expect(harness.moved == Array(repeating: "martlet.moved bulk.returned", count: 3))
        let chunks = try harness.published.map(tokens)
        #expect(chunks.map(\.count) == [3, 3, 2])
        #expect(chunks.flatMap { $0 } == (0..<8).map { String($0 + 0x1_0000, radix: 16) })
        #expect(
            harness.published.map { $0.properties.headers["x-martlet-part"]?.string } == [
                "7f#0-3", "7f#3-6", "7f#6-8",
            ])
        #expect(harness.published.allSatisfy { $0.properties.headers["x-martlet-chunk"] == true })
        #expect(harness.published.allSatisfy { $0.properties.headers["x-martlet-redelivered"] == nil })
        for chunk in harness.published {
            #expect(harness.acknowledged == [])
            harness.confirm(chunk)
        }
        #expect(harness.acknowledged == [5])
        #expect(harness.core.currentCounts().jobsSplit == 1)
    }

    @Test func sendsJobOfOneChunkUnsplit() throws {
        let harness = harness(chunkSize: 3)
        harness.deliver(body(recipients: 3))
        #expect(harness.started == ["big"] && harness.published.isEmpty)
    }

    @Test func limitsUnconfirmedChunks() throws {
        let harness = harness(chunkSize: 1)
        deliver(body(recipients: 100), to: harness, number: 5, chunkSize: 1)
        #expect(harness.published.count == 32)
        var confirmed = 0
        while confirmed < harness.published.count {
            harness.confirm(harness.published[confirmed])
            confirmed += 1
            #expect(harness.published.count == min(100, 32 + confirmed))
        }
        #expect(confirmed == 100)
        #expect(try Set(harness.published.flatMap(tokens)).count == 100)
        #expect(harness.acknowledged == [5])
    }

    @Test func flagsChunksOfRedeliveredJob() throws {
        let harness = harness(chunkSize: 3)
        deliver(body(recipients: 4), to: harness, chunkSize: 3, redelivered: true)
        #expect(harness.published.count == 2)
        #expect(harness.published.allSatisfy { $0.properties.headers["x-martlet-redelivered"] == true })
    }

    @Test func republishesRefusedChunk() throws {
        let harness = harness(chunkSize: 3)
        deliver(body(recipients: 4), to: harness, number: 5, chunkSize: 3)
        harness.confirm(harness.published[0])
        harness.publisher(.refused([harness.published[1].id]))
        #expect(harness.acknowledged == [])
        harness.passOneSecond()
        #expect(harness.published.count == 3)
        harness.confirm(harness.published[2])
        #expect(harness.acknowledged == [5])
    }

    @Test func leavesCapacityForOtherJobsDuringSplit() throws {
        let harness = PipelineHarness(maximumInFlight: 50) { $0.limits.chunkSize = 1 }
        deliver(body(recipients: 100), to: harness, number: 5, chunkSize: 1)
        #expect(harness.core.currentCounts().obligationsOpen == 33, "32 chunks and the job")
        harness.deliver(body(recipients: 1).replacing("big", with: "small"), number: 6)
        #expect(harness.started == ["small"])
    }

    @Test func sharesWindowAmongSplitJobs() throws {
        let harness = harness(chunkSize: 1)
        for number in 1...4 { deliver(body(recipients: 100), to: harness, number: UInt64(number), chunkSize: 1) }
        var confirmed = 0
        while confirmed < harness.published.count {
            harness.confirm(harness.published[confirmed])
            confirmed += 1
            if (100..<300).contains(confirmed) { #expect((16...40).contains(harness.published.count - confirmed)) }
        }
        #expect(confirmed == 400)
        #expect(harness.acknowledged.sorted() == [1, 2, 3, 4])
    }

    // MARK: Named jobs

    private func deliverUnnamed(
        _ numbers: ClosedRange<UInt64>, of lane: Lane = .normal, to harness: PipelineHarness, connection: UInt32 = 1
    ) {
        let headers: AMQPFieldTable = connection > 1 ? ["x-delivery-count": .int64(Int64(connection) - 1)] : [:]
        harness.deliver(
            numbers.map {
                .sample(
                    body(recipients: 2).replacing("big", with: "big-\($0)"), number: $0, from: .lane(lane),
                    properties: AMQPProperties(headers: headers), redelivered: connection > 1, connection: connection)
            })
    }

    @Test func limitsUnconfirmedNamedJobs() throws {
        let harness = harness(chunkSize: 1)
        deliverUnnamed(1...100, to: harness)
        #expect(harness.published.count == 32)
        harness.publisher(.returned(AMQPReturn(id: harness.published[0].id, code: 406, text: "too large")))
        #expect(harness.moved.count == 33, "a returned job must free its place")
        var confirmed = 1
        while confirmed < harness.published.count {
            harness.confirm(harness.published[confirmed])
            confirmed += 1
        }
        #expect(harness.moved.count == 100)
        #expect(harness.acknowledged.sorted() == Array(2...100) && harness.rejected.map(\.number) == [1])
    }

    @Test func doesNotBlockOtherLanesIfOneRefuses() throws {
        let harness = harness(chunkSize: 1)
        deliverUnnamed(1...40, of: .bulk, to: harness)
        harness.publisher(.refused(harness.published.map(\.id)))
        deliverUnnamed(41...41, of: .urgent, to: harness)
        #expect(
            harness.published.count == 33 && harness.moved.last?.hasSuffix("urgent.returned") == true,
            "\(harness.moved)")
    }

    /// The broker has refused all named copies, and redelivers all jobs.
    @Test func dropsRefusedNamedJobsWhenConnectionIsLost() throws {
        let harness = harness(chunkSize: 1)
        deliverUnnamed(1...40, to: harness)
        harness.publisher(.refused(harness.published.map(\.id)))
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        #expect(harness.released.count == 40 && harness.core.currentCounts().jobsOpen == 0)
        harness.passRefusalWaits()
        #expect(harness.published.count == 32, "no refused job may be published again")
        harness.consumer(.connected(queues: []))
        deliverUnnamed(1...40, to: harness, connection: 2)
        #expect(harness.published.count == 64)
    }

    /// If a lane refuses messages for a long time, the worker must not keep the jobs to be split.
    @Test func rejectsJobWhoseChunksBrokerKeepsRefusing() throws {
        let harness = harness(chunkSize: 1)
        deliverUnnamed(1...1, to: harness)
        deliver(body(recipients: 3), to: harness, number: 2, chunkSize: 1)
        #expect(harness.published.count == 4)
        for _ in 0..<6 {
            harness.publisher(.refused(harness.published[..<4].map(\.id)))
            harness.passRefusalWaits()
        }
        let events = harness.events
        #expect(
            events.map(\.routingKey) == Array(repeating: "job.rejected.com.example.shop", count: 2),
            "one event for each job")
        for event in events { harness.confirm(event) }
        #expect(harness.rejected.map(\.number).sorted() == [1, 2] && harness.acknowledged == [])
        #expect(harness.core.currentCounts().jobsOpen == 0 && harness.published.count == 26)
    }

    /// The worker that receives the job next makes the same chunks.
    @Test func stopsSplittingWhenConnectionIsLost() throws {
        let harness = harness(chunkSize: 1)
        deliver(body(recipients: 100), to: harness, number: 1, chunkSize: 1)
        harness.publisher(.refused(harness.published[..<10].map(\.id)))
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        harness.passRefusalWaits()
        for chunk in harness.published[10...] { harness.confirm(chunk) }
        #expect(harness.published.count == 32 && harness.released.count == 1)
        #expect(harness.core.currentCounts().jobsOpen == 0 && harness.core.currentCounts().obligationsOpen == 0)
    }

    /// A job without a name exists only in its queue, so its redelivery is no duplicate.
    @Test func dropsUnnamedJobsWhenConnectionIsLost() throws {
        let harness = harness(chunkSize: 1)
        deliverUnnamed(1...100, to: harness)
        harness.consumer(.disconnected(AMQPError(.connectionFailed, "gone")))
        #expect(harness.released.count == 68)
        for publication in harness.published { harness.confirm(publication) }
        #expect(harness.published.count == 32 && harness.core.currentCounts().jobsOpen == 0)
        harness.consumer(.connected(queues: []))
        deliverUnnamed(1...100, to: harness, connection: 2)
        #expect(Set(harness.acknowledged) == Set(1...32), "named jobs must be acknowledged")
        var confirmed = 32
        while confirmed < harness.published.count {
            harness.confirm(harness.published[confirmed])
            confirmed += 1
        }
        #expect(confirmed == 100 && harness.released.count == 200)
        #expect(Set(harness.acknowledgements.filter { $0.tag.epoch == 2 }.map(\.tag.number)) == Set(1...100))
    }

    // MARK: Chunks that the broker never accepts

    @Test(arguments: [1, 2])
    func stopsSplittingWhenBrokerNeverAcceptsChunk(refused: Int) throws {
        let harness = harness(chunkSize: 1)
        deliver(body(recipients: 100), to: harness, number: 5, chunkSize: 1)
        for chunk in harness.published[..<8] { harness.confirm(chunk) }
        #expect(harness.moved.count == 40)
        for chunk in harness.published[8..<8 + refused] {
            harness.publisher(.returned(AMQPReturn(id: chunk.id, code: 406, text: "too large")))
        }
        #expect(harness.moved.count == 40)
        #expect(harness.events.map(\.routingKey) == ["job.rejected.com.example.shop"], "only one event")
        let event = try harness.event(0)
        let errors = try JSON.objects(try JSON.object(event.body)["errors"])
        let problem = try #require(errors.first?["problem"] as? String)
        #expect(problem.hasSuffix("; at most the first 40 of its 100 recipients were split off"), "\(problem)")
        harness.confirm(event)
        for chunk in harness.published[8..<40] {
            #expect(harness.rejected == [])
            harness.confirm(chunk)
        }
        #expect(harness.moved.count == 40)
        #expect(harness.rejected.map(\.number) == [5] && harness.acknowledged == [])
        let counts = harness.core.currentCounts()
        #expect(counts.jobsOpen == 0 && counts.obligationsOpen == 0 && counts.jobsRejected == 1)
        // Other jobs can still be split.
        deliver(body(recipients: 3), to: harness, number: 6, chunkSize: 1)
        for chunk in harness.published.suffix(3) { harness.confirm(chunk) }
        #expect(harness.acknowledged == [6])
    }

    @Test func remembersChunkNameOneDayLongerThanLongestWait() throws {
        let harness = harness(chunkSize: 1)
        deliver(body(recipients: 2), to: harness, chunkSize: 1)
        let chunk = try #require(harness.published.first)
        harness.deliver(
            String(decoding: chunk.body, as: UTF8.self), number: 2, properties: chunk.properties)
        #expect(
            harness.claims.first?.keys == [
                ClaimKey(output: "apns", app: "com.example.shop", name: "7f#0-1", isPart: true, seconds: 7 * 86_400)
            ])
    }
}
