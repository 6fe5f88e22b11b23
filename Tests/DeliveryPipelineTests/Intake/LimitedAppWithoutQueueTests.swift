import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Testing

/// Jobs of a rate-limited app while jobs of another app occupy its waiting queues. They wait in delay queues.
@Suite struct LimitedAppWithoutQueueTests {
    private let site = PacedSite(2)

    init() {
        for number in 0..<JobQueue.waitingQueues {
            site.deliver(1, of: 1, in: .waiting(.normal, number), from: UInt64(900 + number), app: "com.example.other")
        }
        site.deliver(300, of: 1)
    }

    private func slot(_ message: AMQPPublication) -> Int64 {
        message.properties.headers["x-martlet-slot"]?.integer ?? 0
    }

    @Test func delaysJobsUntilAssignedSlots() throws {
        #expect(site.paced.count == 291, "a worker keeps four seconds of work")
        let slots = site.paced.map(slot).sorted()
        let (first, last) = (try #require(slots.first), try #require(slots.last))
        #expect(Set(slots).count == 291 && last - first == 72_500, "four slots for each second")
    }

    /// A new slot for each return from a delay queue would reserve more time, so the app would not reach its rate.
    @Test func keepsSlotOfJobThatReturnsEarly() throws {
        let delayed = site.paced
        let last = try #require(delayed.map(slot).max())
        let late = delayed.filter { slot($0) > last - 20_000 }
        for message in late { site.comesBack(message) }
        #expect(site.paced.dropFirst(291).map(slot) == late.map(slot))
        site.deliver(1, of: 1, from: 2_000)
        #expect(try slot(#require(site.paced.last)) == last + 250)
    }

    @Test func sendsJobThatReturnsAtAssignedSlot() throws {
        let message = try #require(site.paced.max { slot($0) < slot($1) })
        site.pass(seconds: 80)
        site.comesBack(message)
        #expect(site.paced.count == 291 && site.sent == 9 + 1 + JobQueue.waitingQueues)
    }

    /// Waiting queues share a limit on the bytes that a worker holds, so a few large jobs would block all of them.
    @Test func delaysLargeJobsAndMovesNone() {
        let site = PacedSite(2) { $0.prefetchBytes = 64_000 }
        let padding = String(repeating: " ", count: 1_000)
        site.deliver(40, of: 1, more: padding)
        site.deliver(40, of: 1, from: 100)
        #expect(!site.paced.isEmpty && site.paced.allSatisfy { $0.body.count > 1_000 })
        #expect(!site.harness.waiting.isEmpty && site.harness.waiting.allSatisfy { $0.body.count < 1_000 })
    }
}
