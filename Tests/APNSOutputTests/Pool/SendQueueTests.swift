import APNSOutput
import PushModel
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

    @Test func anEmptyQueueHasNothing() {
        var queue = SendQueue()
        #expect(queue.isEmpty)
        #expect(queue.next() == nil)
    }

    @Test func lanesGoInOrder() throws {
        var queue = SendQueue()
        for lane in [Lane.bulk, .normal, .urgent] { queue.append(try .sample(recipients: 2, lane: lane)) }
        #expect(!queue.isEmpty)
        #expect(drain(&queue) == ["urgent 0 0", "urgent 1 0", "normal 0 0", "normal 1 0", "bulk 0 0", "bulk 1 0"])
        #expect(queue.isEmpty)
    }

    @Test func jobsOfALaneKeepTheirOrder() throws {
        var queue = SendQueue()
        let jobs = try [1, 3, 2].map { try PreparedJob.sample(recipients: $0) }
        for job in jobs { queue.append(job) }
        var order: [(ObjectIdentifier, Int)] = []
        while let push = queue.next() { order.append((ObjectIdentifier(push.job), push.recipient)) }
        let expected = jobs.flatMap { job in job.routed.job.recipients.indices.map { (ObjectIdentifier(job), $0) } }
        #expect(order.elementsEqual(expected, by: ==), "\(order)")
    }

    @Test func aSmallJobDoesNotWaitForAllOfALargeOne() throws {
        var queue = SendQueue()
        let (large, small) = (try PreparedJob.sample(recipients: 40), try PreparedJob.sample(recipients: 2))
        queue.append(large)
        queue.append(small)
        var order: [String] = []
        while let push = queue.next() { order.append("\(push.job === large ? "large" : "small") \(push.recipient)") }
        #expect(
            order == (0..<16).map { "large \($0)" } + ["small 0", "small 1"] + (16..<40).map { "large \($0)" })
        #expect(queue.isEmpty)
    }

    @Test func urgentOvertakesAJobHalfSent() throws {
        var queue = SendQueue()
        queue.append(try .sample(recipients: 3, lane: .bulk))
        #expect(queue.next()?.recipient == 0)
        queue.append(try .sample(recipients: 1, lane: .urgent))
        #expect(drain(&queue) == ["urgent 0 0", "bulk 1 0", "bulk 2 0"])
    }

    @Test func whatIsToBeSentAgainComesFirstAndInOrder() throws {
        var queue = SendQueue()
        let bulk = try PreparedJob.sample(recipients: 3, lane: .bulk)
        queue.append(bulk)
        queue.append(try .sample(lane: .urgent))
        queue.resend(QueuedPush(job: bulk, recipient: 7, resends: 1))
        queue.resend(QueuedPush(job: bulk, recipient: 5, resends: 2))
        #expect(drain(&queue) == ["bulk 7 1", "bulk 5 2", "urgent 0 0", "bulk 0 0", "bulk 1 0", "bulk 2 0"])
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

    @Test func isNotEmptyWithOnlyWhatIsToBeSentAgain() throws {
        var queue = SendQueue()
        queue.resend(QueuedPush(job: try .sample(), recipient: 0, resends: 1))
        #expect(!queue.isEmpty)
        #expect(queue.next()?.resends == 1)
        #expect(queue.isEmpty)
    }

    @Test func someRecipientsOfAJob() throws {
        var queue = SendQueue()
        queue.append(try .sample(recipients: 5), recipients: 1..<3)
        #expect(queue.count == 2)
        #expect(drain(&queue) == ["normal 1 0", "normal 2 0"])
    }

    @Test func takesOutWhatIsMeantWhereverItIs() throws {
        var queue = SendQueue()
        let meant = try PreparedJob.sample(recipients: 3, lane: .bulk), other = try PreparedJob.sample(recipients: 2)
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
}
