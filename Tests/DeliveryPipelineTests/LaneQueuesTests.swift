import AMQPClient
import DeliveryPipeline
import Foundation
import PushModel
import Testing

@Suite struct LaneQueuesTests {
    private func numbers(_ jobs: [InboundJob]) -> [String] { jobs.map { "\($0.lane)\($0.delivery.tag.number)" } }

    @Test func theMostUrgentLaneGoesFirstAndTheOldestOfALane() {
        var queues = LaneQueues()
        for (number, lane) in [Lane.bulk, .normal, .urgent, .normal, .bulk, .urgent].enumerated() {
            queues.append(.sample("", number: UInt64(number), lane: lane))
        }
        #expect(queues.count == 6)
        let taken = numbers(queues.removeAll())
        #expect(taken == ["urgent2", "urgent5", "normal1", "normal3", "bulk0", "bulk4"])
        #expect(queues.count == 0)
        let none = queues.next()
        #expect(none?.lane == nil)
    }

    @Test func whatComesLaterKeepsItsPlaceInTheLane() {
        var queues = LaneQueues()
        var taken: [InboundJob] = []
        for number in 0..<100 as Range<UInt64> {
            queues.append(.sample("", number: number))
            if number % 3 != 0, let job = queues.next() { taken.append(job) }
        }
        taken += queues.removeAll()
        #expect(taken.map(\.delivery.tag.number) == Array(0..<100))
    }

    @Test func aDeliveryOfNoLaneIsLeftToTheBroker() {
        var queues = LaneQueues()
        let stray = AMQPDelivery(
            tag: AMQPDeliveryTag(epoch: 1, queueIndex: 3, number: 1), isRedelivered: false, exchange: "",
            routingKey: "", properties: AMQPProperties(), body: [])
        queues.append(stray)
        #expect(queues.count == 0)
    }

    @Test func aLaneThatNeverRunsEmptyKeepsNothingOfWhatHasLeft() throws {
        var queues = LaneQueues()
        queues.append(.sample("first"))
        let before = try residentBytes()
        let body = String(repeating: "x", count: 16_384)
        for number in 0..<20_000 as Range<UInt64> {
            queues.append(.sample(body, number: number))
            _ = queues.next()
        }
        let grown = try residentBytes() - before
        #expect(queues.count == 1)
        #expect(grown < 100 << 20, "grew by \(grown >> 20) MB while 320 MB went through")
    }

    private func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(Int(text.split(separator: " ")[1])) * 4096
    }
}
