import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

@Suite struct ScatterTests {
    private func harness(chunkSize: Int) -> PipelineHarness { PipelineHarness { $0.chunkSize = chunkSize } }

    private func body(recipients: Int, more: String = "") -> String {
        let tokens = (0..<recipients).map { "\"\(String($0 + 0x1_0000, radix: 16))\"" }.joined(separator: ",")
        return
            #"{"id":"big","app":"com.example.shop",\#(more)"payload":{"aps":{"alert":"Hi"}},"recipients":[\#(tokens)]}"#
    }

    private func tokens(_ publication: AMQPPublication) throws -> [String] {
        let job = try decodedJob(String(decoding: publication.body, as: UTF8.self))
        return job.recipients.map { String(decoding: job.bytes($0.token), as: UTF8.self) }
    }

    @Test func aJobOfManyRecipientsBecomesChunksAndIsAcknowledgedWhenTheBrokerHasThem() throws {
        let harness = harness(chunkSize: 3)
        harness.deliver(body(recipients: 8), number: 5, lane: .bulk)
        #expect(harness.started == [])
        #expect(harness.moved == Array(repeating: "martlet.jobs bulk", count: 3))
        let chunks = try harness.published.map(tokens)
        #expect(chunks.map(\.count) == [3, 3, 2])
        #expect(chunks.flatMap { $0 } == (0..<8).map { String($0 + 0x1_0000, radix: 16) })
        #expect(
            harness.published.map { $0.properties.headers["x-martlet-part"]?.string } == [
                "big#0-3", "big#3-6", "big#6-8",
            ])
        #expect(harness.published.allSatisfy { $0.properties.headers["x-martlet-chunk"] == true })
        #expect(harness.published.allSatisfy { $0.properties.headers["x-martlet-redelivered"] == nil })
        for chunk in harness.published {
            #expect(harness.acknowledged == [])
            harness.confirm(chunk)
        }
        #expect(harness.acknowledged == [5])
        #expect(harness.core.currentCounts().jobsScattered == 1)
    }

    @Test func aJobOfOneChunkIsSentAsItIs() throws {
        let harness = harness(chunkSize: 3)
        harness.deliver(body(recipients: 3))
        #expect(harness.started == ["big"] && harness.published.isEmpty)
    }

    @Test func noMoreThanAWindowOfChunksIsOnItsWay() throws {
        let harness = harness(chunkSize: 1)
        harness.deliver(body(recipients: 100), number: 5)
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

    @Test func chunksOfAJobThatCameAgainSaySo() throws {
        let harness = harness(chunkSize: 3)
        harness.deliver(body(recipients: 4), redelivered: true)
        #expect(harness.published.count == 2)
        #expect(harness.published.allSatisfy { $0.properties.headers["x-martlet-redelivered"] == true })
    }

    @Test func aRefusedChunkIsOfferedAgain() throws {
        let harness = harness(chunkSize: 3)
        harness.deliver(body(recipients: 4), number: 5)
        harness.confirm(harness.published[0])
        harness.publisher(.refused([harness.published[1].id]))
        #expect(harness.acknowledged == [])
        harness.passOneSecond()
        #expect(harness.published.count == 3)
        harness.confirm(harness.published[2])
        #expect(harness.acknowledged == [5])
    }

    @Test func aBigJobLeavesRoomForOthers() throws {
        let harness = PipelineHarness(maximumInFlight: 50) { $0.chunkSize = 1 }
        harness.deliver(body(recipients: 100), number: 5)
        #expect(harness.core.currentCounts().obligationsOpen == 33, "the chunks on their way, and the job itself")
        harness.deliver(body(recipients: 1).replacing("big", with: "small"), number: 6)
        #expect(harness.started == ["small"])
    }

    @Test func jobsThatAreSplitShareTheWay() throws {
        let harness = harness(chunkSize: 1)
        for number in 1...4 { harness.deliver(body(recipients: 100), number: UInt64(number)) }
        var confirmed = 0
        while confirmed < harness.published.count {
            harness.confirm(harness.published[confirmed])
            confirmed += 1
            if (100..<300).contains(confirmed) { #expect((16...40).contains(harness.published.count - confirmed)) }
        }
        #expect(confirmed == 400)
        #expect(harness.acknowledged.sorted() == [1, 2, 3, 4])
    }
}
