import PushModel
import PushSending
import PushTestSupport
import Testing

@Suite struct SendQueueTests {
    private func drain(_ queue: inout SendQueue) -> [String] {
        var order: [String] = []
        while let push = queue.next() {
            order.append("\(push.job.routed.lane) \(push.recipient) \(push.resends)")
        }
        return order
    }

    @Test func returnsNilWhenEmpty() {
        var queue = SendQueue()
        #expect(queue.isEmpty)
        #expect(queue.next() == nil)
    }

    @Test func sendsLanesInOrderOfPriority() throws {
        var queue = SendQueue()
        for lane in [Lane.bulk, .normal, .urgent] { queue.append(try .sample(recipients: 2, lane: lane)) }
        #expect(!queue.isEmpty)
        #expect(drain(&queue) == ["urgent 0 0", "urgent 1 0", "normal 0 0", "normal 1 0", "bulk 0 0", "bulk 1 0"])
        #expect(queue.isEmpty)
    }

    @Test func keepsOrderOfJobsInLane() throws {
        var queue = SendQueue()
        let jobs = try [1, 3, 2].map { try QueuedJob.sample(recipients: $0) }
        for job in jobs { queue.append(job) }
        var order: [(ObjectIdentifier, Int)] = []
        while let push = queue.next() { order.append((ObjectIdentifier(push.job), push.recipient)) }
        let expected = jobs.flatMap { job in job.routed.job.recipients.indices.map { (ObjectIdentifier(job), $0) } }
        #expect(order.elementsEqual(expected, by: ==), "\(order)")
    }

    @Test func alternatesBetweenJobsAfterSixteenPushes() throws {
        var queue = SendQueue()
        let (large, small) = (try QueuedJob.sample(recipients: 40), try QueuedJob.sample(recipients: 2))
        queue.append(large)
        queue.append(small)
        var order: [String] = []
        while let push = queue.next() { order.append("\(push.job === large ? "large" : "small") \(push.recipient)") }
        #expect(
            order == (0..<16).map { "large \($0)" } + ["small 0", "small 1"] + (16..<40).map { "large \($0)" })
        #expect(queue.isEmpty)
    }

    @Test func sendsUrgentJobBeforeRestOfStartedJob() throws {
        var queue = SendQueue()
        queue.append(try .sample(recipients: 3, lane: .bulk))
        #expect(queue.next()?.recipient == 0)
        queue.append(try .sample(recipients: 1, lane: .urgent))
        #expect(drain(&queue) == ["urgent 0 0", "bulk 1 0", "bulk 2 0"])
    }

    @Test func resendsPushesBeforeNewOnesButAfterUrgentOnes() throws {
        var queue = SendQueue()
        let bulk = try QueuedJob.sample(recipients: 3, lane: .bulk)
        queue.append(bulk)
        queue.append(try .sample(lane: .urgent))
        queue.resend(QueuedPush(job: bulk, recipient: 7, resends: 1))
        queue.resend(QueuedPush(job: bulk, recipient: 5, resends: 2))
        #expect(drain(&queue) == ["urgent 0 0", "bulk 7 1", "bulk 5 2", "bulk 0 0", "bulk 1 0", "bulk 2 0"])
    }

    @Test func countsPushes() throws {
        var queue = SendQueue()
        queue.append(try .sample(recipients: 3))
        queue.append(try .sample(recipients: 1, lane: .bulk))
        queue.resend(QueuedPush(job: try .sample(), recipient: 0, resends: 1))
        let counts = (0..<6).map { _ in
            _ = queue.next()
            return queue.count
        }
        #expect(counts == [4, 3, 2, 1, 0, 0])
    }

    @Test func isNotEmptyWithOnlyResends() throws {
        var queue = SendQueue()
        queue.resend(QueuedPush(job: try .sample(), recipient: 0, resends: 1))
        #expect(!queue.isEmpty)
        #expect(queue.next()?.resends == 1)
        #expect(queue.isEmpty)
    }

    @Test func queuesOnlyRecipientsOfPool() throws {
        var queue = SendQueue()
        let part = QueuedJob(
            try QueuedJob.sample(recipients: 5).routed, sink: OutcomeRecorder(), recipients: [1, 2, 4])
        queue.append(part)
        #expect(queue.count == 3)
        #expect(queue.removeLast(allBut: 2).map(\.recipient) == [4])
        #expect(drain(&queue) == ["normal 1 0", "normal 2 0"])
    }

    @Test func removesAllPushesOfMatchingJob() throws {
        var queue = SendQueue()
        let meant = try QueuedJob.sample(recipients: 3, lane: .bulk), other = try QueuedJob.sample(recipients: 2)
        queue.append(meant)
        _ = queue.next()
        queue.append(other)
        queue.resend(QueuedPush(job: meant, recipient: 0, resends: 2))
        queue.resend(QueuedPush(job: other, recipient: 1, resends: 1))
        let removed = queue.removeAll { $0 === meant }
        #expect(removed.map(\.recipient) == [0, 1, 2])
        #expect(removed.map(\.resends) == [2, 0, 0])
        #expect(queue.count == 3)
        #expect(drain(&queue) == ["normal 1 1", "normal 0 0", "normal 1 0"])
        #expect(queue.isEmpty)
    }

    @Test func resendsUrgentPushesFirst() throws {
        var queue = SendQueue()
        for lane in [Lane.bulk, .urgent, .bulk, .urgent] {
            let job = try QueuedJob.sample(recipients: 2, lane: lane)
            for recipient in 0..<2 { queue.resend(QueuedPush(job: job, recipient: recipient)) }
        }
        #expect(queue.hasUrgent)
        var order: [String] = []
        while let push = queue.next(onlyUrgent: true) { order.append("\(push.job.routed.lane) \(push.recipient)") }
        #expect(order == ["urgent 0", "urgent 1", "urgent 0", "urgent 1"])
        #expect(!queue.hasUrgent)
        #expect(queue.count == 4)
        queue.append(try .sample(recipients: 1, lane: .urgent))
        #expect(queue.hasUrgent, "a new urgent push behind resends must count")
    }

    @Test(arguments: [
        (9, ["urgent 0 0", "urgent 1 0", "bulk 9 1", "normal 0 0", "normal 1 0", "bulk 0 0", "bulk 1 0", "bulk 2 0"]),
        (7, ["urgent 0 0", "urgent 1 0", "bulk 9 1", "normal 0 0", "normal 1 0", "bulk 0 0", "bulk 1 0"]),
        (4, ["urgent 0 0", "urgent 1 0", "bulk 9 1", "normal 0 0"]), (2, ["urgent 0 0", "urgent 1 0"]),
        (1, ["urgent 0 0"]), (0, []), (-1, []),
    ])
    func removesPushesThatWouldBeSentLast(kept: Int, order: [String]) throws {
        var queue = SendQueue()
        for lane in [Lane.bulk, .normal, .urgent] {
            queue.append(try .sample(recipients: lane == .bulk ? 3 : 2, lane: lane))
        }
        queue.resend(QueuedPush(job: try .sample(lane: .bulk), recipient: 9, resends: 1))
        let removed = queue.removeLast(allBut: kept)
        #expect(removed.count == 8 - order.count && queue.count == order.count)
        queue.append(try .sample(recipients: 1, lane: .urgent))
        let urgent = order.prefix { $0.hasPrefix("urgent") }
        #expect(drain(&queue) == urgent + ["urgent 0 0"] + order.dropFirst(urgent.count))
        #expect(queue.isEmpty)
    }

    @Test func removesLastRecipientsOfLastJobs() throws {
        var queue = SendQueue()
        let jobs = try [3, 2].map { try QueuedJob.sample(recipients: $0, lane: .bulk) }
        for job in jobs { queue.append(job) }
        _ = queue.next()
        let removed = queue.removeLast(allBut: 1)
        #expect(removed.map(\.recipient) == [0, 1, 2] && removed[0].job === jobs[1] && removed[2].job === jobs[0])
        #expect(queue.next()?.recipient == 1 && queue.isEmpty)
    }

    // MARK: Batches

    private func batches(_ queue: inout SendQueue, of most: Int) -> [[String]] {
        var batches: [[String]] = []
        while case let batch = queue.nextBatch(atMost: most, { _, _ in true }), !batch.isEmpty {
            batches.append(batch.map { "\($0.job.routed.lane) \($0.recipient) \($0.resends)" })
        }
        return batches
    }

    @Test func formsBatchesOfSingleJobsInTurn() throws {
        var queue = SendQueue()
        let jobs = try [40, 2].map { try QueuedJob.sample(recipients: $0) }
        for job in jobs { queue.append(job) }
        var order: [String] = []
        while case let batch = queue.nextBatch(atMost: 30, { _, _ in true }), let first = batch.first {
            #expect(batch.allSatisfy { $0.job === first.job })
            order.append("\(first.job === jobs[0] ? "large" : "small") \(batch.map(\.recipient))")
        }
        #expect(order == ["large \(Array(0..<30))", "small [0, 1]", "large \(Array(30..<40))"])
        #expect(queue.isEmpty)
    }

    @Test func formsBatchesByLane() throws {
        var queue = SendQueue()
        for lane in [Lane.bulk, .urgent] { queue.append(try .sample(recipients: 2, lane: lane)) }
        #expect(
            queue.nextBatch(onlyUrgent: true, atMost: 9) { _, _ in true }.map(\.job.routed.lane) == [.urgent, .urgent])
        #expect(queue.nextBatch(onlyUrgent: true, atMost: 9) { _, _ in true }.isEmpty)
        #expect(queue.count == 2)
        #expect(batches(&queue, of: 9) == [["bulk 0 0", "bulk 1 0"]])
    }

    @Test func batchesResendsWithRestOfJob() throws {
        var queue = SendQueue()
        queue.append(try .sample(recipients: 4))
        let sent = queue.nextBatch(atMost: 2) { _, _ in true }
        for push in sent { queue.resend(push.again(asProbe: false)) }
        #expect(queue.count == 4)
        #expect(batches(&queue, of: 3) == [["normal 0 1", "normal 1 1", "normal 2 0"], ["normal 3 0"]])
        #expect(queue.isEmpty)
    }

    /// The first push is always part of the batch, because otherwise it would never be sent.
    @Test func startsNextBatchWithPushThatDoesNotFit() throws {
        var queue = SendQueue()
        queue.append(try .sample(recipients: 5))
        var asked: [Int] = []
        let batch = queue.nextBatch(atMost: 9) { _, recipient in
            asked.append(recipient)
            return recipient == 1
        }
        #expect(batch.map(\.recipient) == [0, 1])
        #expect(asked == [0, 1, 2])
        #expect(queue.count == 3)
        #expect(queue.nextBatch(atMost: 9) { _, _ in false }.map(\.recipient) == [2])
    }

    // MARK: Filters

    @Test func returnsFirstPushOfMatchingJob() throws {
        var queue = SendQueue()
        let (bad, good) = (try QueuedJob.sample(recipients: 2), try QueuedJob.sample(recipients: 2))
        let urgent = try QueuedJob.sample(lane: .urgent)
        queue.append(bad)
        queue.append(good)
        queue.append(urgent)
        queue.resend(QueuedPush(job: bad, recipient: 7))
        #expect(queue.next { $0 !== urgent && $0 !== bad }?.recipient == 0)
        #expect(queue.next(onlyUrgent: true) { $0 === good } == nil)
        #expect(queue.next { $0 === good }?.recipient == 1)
        #expect(queue.next { $0 === good } == nil && queue.count == 4)
        #expect(drain(&queue) == ["urgent 0 0", "normal 7 0", "normal 0 0", "normal 1 0"])
    }

    // MARK: Halved batches

    @Test func keepsPartsOfHalvedBatchApart() throws {
        var queue = SendQueue()
        let job = try QueuedJob.sample(recipients: 2)
        queue.append(job)
        for (recipient, group) in [(5, 1), (6, 1), (7, 2), (8, 2)] as [(Int, UInt32)] {
            queue.resend(QueuedPush(job: job, recipient: recipient).inGroup(group).again(isCounted: false))
        }
        #expect(
            batches(&queue, of: 10) == [
                ["normal 5 0", "normal 6 0"], ["normal 7 0", "normal 8 0"], ["normal 0 0", "normal 1 0"],
            ])
        #expect(queue.isEmpty)
    }

    @Test func sendsOtherPushesBeforePartsOfHalvedBatch() throws {
        var queue = SendQueue()
        let job = try QueuedJob.sample(recipients: 2)
        queue.append(job)
        queue.resend(QueuedPush(job: job, recipient: 5).inGroup(1))
        queue.resend(QueuedPush(job: job, recipient: 6))
        var order: [[Int]] = []
        while case let batch = queue.nextBatch(atMost: 1, takesGroups: false, { _, _ in true }), !batch.isEmpty {
            order.append(batch.map(\.recipient))
        }
        #expect(order == [[6], [0], [1]])
        #expect(queue.nextBatch(atMost: 1) { _, _ in true }.map(\.recipient) == [5])
    }
}

extension SendQueue {
    fileprivate mutating func nextBatch(
        onlyUrgent: Bool = false, atMost most: Int, takesGroups: Bool = true,
        _ goesAlong: (_ job: QueuedJob, _ recipient: Int) -> Bool
    ) -> [QueuedPush] {
        guard let first = next(onlyUrgent: onlyUrgent, takesGroups: takesGroups) else { return [] }
        return batch(startingWith: first, atMost: most, goesAlong)
    }
}
