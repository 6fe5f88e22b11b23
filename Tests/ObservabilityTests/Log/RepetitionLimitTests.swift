import Foundations
import Logging
import Observability
import PushModel
import Testing

@Suite struct RepetitionLimitTests {
    private static let event = EventName("jobs.unsendable", repeats: true)
    private var limit = RepetitionLimit()

    private mutating func isDue(_ metadata: Logger.Metadata, at seconds: Int64, of event: EventName = event) -> Bool {
        let line = LogLine(
            at: Timestamp(seconds: seconds), level: .warning, event: event, message: "Jobs cannot be sent",
            metadata: metadata)
        return limit.isDue(line, of: event, now: seconds * 1_000)
    }

    private mutating func due(at seconds: Int64, all: Bool = false) -> [LogLine] {
        limit.takeDue(now: seconds * 1_000, at: Timestamp(seconds: seconds), all: all)
    }

    @Test mutating func logsOneLinePerMinuteThenCount() {
        let shop: Logger.Metadata = ["app": "shop", "reason": "paused", "job": "1"]
        #expect(isDue(shop, at: 0))
        for second in Int64(1)...59 {
            let isDue = isDue(["app": "shop", "reason": "paused", "job": "\(second)"], at: second)
            #expect(!isDue)
        }
        #expect(due(at: 59).isEmpty)
        let reported = due(at: 60)
        #expect(reported.map(\.message) == ["Jobs cannot be sent … 59 more like this"])
        #expect(reported.first?.level == .warning && reported.first?.event == Self.event)
        #expect(reported.first?.metadata == ["app": "shop", "reason": "paused", "repeated": .stringConvertible(59)])
        // The summary counts as the line of this minute.
        #expect(!isDue(shop, at: 61))
        #expect(due(at: 119).isEmpty && due(at: 120).count == 1)
        #expect(due(at: 1_000).isEmpty && isDue(shop, at: 1_000))
    }

    @Test mutating func limitsEachAppReasonAndEventSeparately() {
        #expect(isDue(["app": "a", "reason": "x"], at: 0))
        #expect(isDue(["app": "b", "reason": "x"], at: 0))
        #expect(isDue(["app": "a", "reason": "y"], at: 0))
        #expect(isDue(["app": "a", "reason": "x"], at: 0, of: EventName("other", repeats: true)))
        #expect(!isDue(["app": "a", "reason": "x", "job": "another"], at: 0))
    }

    @Test mutating func logsEachDeletionByName() {
        let event = EventName("broker.queues.vanished", repeats: true)
        func deletion(_ queue: String, lost: Bool = true) -> Logger.Metadata {
            lost ? ["queues": "\(queue)", "lost": "\(queue)"] : ["queues": "\(queue)"]
        }
        #expect(isDue(deletion("delay.30"), at: 0, of: event))
        #expect(isDue(deletion("delay.120"), at: 1, of: event), "the deletion of another queue must be logged")
        #expect(isDue(deletion("dead", lost: false), at: 2, of: event))
        #expect(isDue(deletion("dead"), at: 3, of: event), "the certain loss of its messages must be logged")
        #expect(isDue(["exchanges": "jobs"], at: 4, of: event))
        #expect(isDue(["exchanges": "results"], at: 5, of: event))
        #expect(!isDue(deletion("delay.30"), at: 6, of: event))
        #expect(due(at: 60).first?.metadata["lost"] == "delay.30")
        let prefix = String(repeating: "x", count: 250)
        #expect(isDue(deletion(prefix + "1"), at: 7, of: event) && isDue(deletion(prefix + "2"), at: 8, of: event))
    }

    @Test mutating func reportsRemainingCountsAtEnd() {
        #expect(isDue(["app": "a"], at: 0) && !isDue(["app": "a"], at: 1))
        #expect(limit.nextDue == 60_000)
        #expect(due(at: 2, all: true).count == 1)
        #expect(limit.nextDue == nil)
    }

    @Test mutating func boundsMemoryForManyNames() {
        let long = String(repeating: "x", count: 100_000)
        for number in 0..<50_000 { _ = isDue(["app": "\(number)\(long.prefix(number % 300))", "reason": "r"], at: 1) }
        #expect(limit.subjects <= RepetitionLimit.mostSubjects + 1)
        let others = due(at: 61)
        #expect(others.map(\.message) == ["Jobs cannot be sent … 48999 more like this"])
        // The line covers many apps, so it must not name one of them.
        #expect(others.first?.metadata["app"] == nil)
        // More than a minute has passed since the earlier lines.
        #expect(isDue(["app": "new"], at: 200) && isDue(["app": "newer"], at: 200))
        #expect(limit.subjects < 10)
    }

    @Test mutating func truncatesLongNames() {
        let long = String(repeating: "x", count: 100_000)
        #expect(isDue(["app": "\(long)"], at: 0) && !isDue(["app": "\(long)"], at: 1))
        #expect(due(at: 60).first.map { "\($0.metadata)".count < 500 } == true)
    }
}
