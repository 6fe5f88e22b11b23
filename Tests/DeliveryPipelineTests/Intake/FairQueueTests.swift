import Contract
import DeliveryPipeline
import Foundation
import PushModel
import Testing

@Suite struct FairQueueTests {
    private let apps = ["a", "b", "c"].map(AppLoad.init)

    private func waiting(_ number: UInt64, _ app: AppLoad, body: String = "") throws -> WaitingJob {
        let inbound = try #require(InboundJob(.sample(body, number: number, from: .lane(.normal))))
        return WaitingJob(inbound: inbound, job: try decodedJob(jobBody("\(number)", app: app.app)), appLoad: app)
    }

    private func name(_ job: WaitingJob?) -> String? { job.map { "\($0.job.app)\($0.job.id)" } }

    @Test func alternatesAppsAndTakesOldestJobFirst() throws {
        var queue = FairQueue()
        for number in 0..<4 { queue.append(try waiting(UInt64(number), apps[0])) }
        for number in 4..<6 { queue.append(try waiting(UInt64(number), apps[1])) }
        queue.append(try waiting(6, apps[2]))
        #expect(apps.map(\.waiting) == [4, 2, 1])
        let taken = queue.removeAll().map { name($0) }
        #expect(taken == ["a0", "b4", "c6", "a1", "b5", "a2", "a3"])
        #expect(queue.count == 0 && apps.map(\.waiting) == [0, 0, 0])
        let none = queue.next { _ in true }
        #expect(none == nil)
    }

    @Test func skipsBlockedAppWithoutLossOfTurn() throws {
        var queue = FairQueue()
        for (number, app) in [0, 0, 1, 2].enumerated() { queue.append(try waiting(UInt64(number), apps[app])) }
        var taken: [String?] = []
        for _ in 0..<3 { taken.append(name(queue.next { $0 !== apps[0] })) }
        #expect(taken == ["b2", "c3", nil])
        let next = queue.next { _ in true }
        #expect(name(next) == "a0")
    }

    @Test func keepsOrderOfJobsOfOneApp() throws {
        var queue = FairQueue()
        var taken: [String?] = []
        for number in 0..<100 as Range<UInt64> {
            queue.append(try waiting(number, apps[0]))
            if number % 3 != 0 { taken.append(name(queue.next { _ in true })) }
        }
        taken += queue.removeAll().map { name($0) }
        #expect(taken == (0..<100).map { "a\($0)" })
    }

    @Test func limitsBytesOfApp() throws {
        var queue = FairQueue()
        for number in 0..<3 { queue.append(try waiting(UInt64(number), apps[0], body: large)) }
        for number in 3..<9 { queue.append(try waiting(UInt64(number), apps[1])) }
        var taken: [String?] = []
        for _ in 0..<3 {
            taken.append(name(queue.surplus(over: { _ in limit(jobs: 10, bytes: 1_000) }, all: limit()) { _ in false }))
        }
        #expect(taken == ["a2", "a1", nil], "only jobs beyond the limit of bytes may be removed")
        queue.append(try waiting(9, apps[0], body: large))
        let left = queue.next { $0 === apps[0] }
        #expect(name(left) == "a0")
        let none = queue.surplus(over: { _ in limit(jobs: 10, bytes: 1_000) }, all: limit()) { _ in false }
        #expect(none == nil, "removed jobs must not count")
    }

    @Test func removesNewestJobOfLargestAppBeyondTotalLimit() throws {
        var queue = FairQueue()
        for number in 0..<3 { queue.append(try waiting(UInt64(number), apps[0])) }
        for number in 3..<5 { queue.append(try waiting(UInt64(number), apps[1])) }
        #expect(queue.size.jobs == 5 && queue.size.recipients == 10)
        var taken: [String?] = []
        for _ in 0..<3 {
            taken.append(name(queue.surplus(over: { _ in limit(jobs: 4) }, all: limit(recipients: 6)) { _ in false }))
        }
        #expect(taken[0] == "a2" && taken[2] == nil && queue.size.recipients == 6)
        let newest = queue.newest()
        #expect(name(newest) != nil && queue.size.recipients == 4)
    }

    @Test func countsJobToBeSplitAsOneChunk() throws {
        let inbound = try #require(InboundJob(.sample("", number: 1, from: .lane(.normal))))
        let job = WaitingJob(inbound: inbound, job: try decodedJob(jobBody()), appLoad: apps[0], chunkSize: 1)
        var queue = FairQueue()
        queue.append(job)
        #expect(queue.size.recipients == 1)
    }

    private func limit(jobs: Int = .max, recipients: Int = .max, bytes: Int = .max) -> FairQueue.Size {
        .init(jobs: jobs, recipients: recipients, bytes: bytes)
    }

    private let large = String(repeating: "x", count: 1_000)

    @Test func removesNewestJobOfLargestBlockedApp() throws {
        var queue = FairQueue()
        for number in 0..<6 { queue.append(try waiting(UInt64(number), apps[0])) }
        for number in 6..<9 { queue.append(try waiting(UInt64(number), apps[1])) }
        let none = queue.surplus(over: { _ in limit(jobs: 4) }, all: limit()) { _ in true }
        #expect(none == nil, "a job that may start must stay")
        var taken: [String?] = []
        for _ in 0..<3 { taken.append(name(queue.surplus(over: { _ in limit(jobs: 4) }, all: limit()) { _ in false })) }
        #expect(taken == ["a5", "a4", nil])
        let rest = queue.removeAll().map { name($0) }
        #expect(rest == ["a0", "b6", "a1", "b7", "a2", "b8", "a3"])
    }

    private struct WeakJob {
        weak var job: Job?
    }

    @Test func releasesRemovedJobs() throws {
        var queue = FairQueue()
        queue.append(try waiting(0, apps[0]))
        var removed: [WeakJob] = []
        for number in 1...1_000 as ClosedRange<UInt64> {
            queue.append(try waiting(number, apps[0]))
            removed.append(WeakJob(job: queue.next { _ in true }?.job))
        }
        #expect(queue.count == 1 && removed.count == 1_000)
        #expect(removed.filter { $0.job != nil }.isEmpty, "the queue keeps no job that it has returned")
    }

    @Test(arguments: 1...6)
    func leavesCapacityForNewAppWhileOthersAreBusy(busy: Int) {
        let (room, share) = (20_000, AppShare(percent: 80))
        var held = Array(repeating: 0, count: busy)
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for app in held.indices where share.allows(held[app], free: room - held.reduce(0, +)) {
                held[app] += 1
                hasGrown = true
            }
        }
        let expected = room * 4 / (1 + 4 * busy)
        #expect(held.allSatisfy { abs($0 - expected) <= busy + 1 }, "\(held), not \(expected)")
        #expect(share.allows(0, free: room - held.reduce(0, +)), "a new app must be able to start")
    }
}
