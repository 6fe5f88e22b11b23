import AMQPClient
import Contract
import DeliveryPipeline
import Logging
import PushModel
import Foundations

/// A publisher that uses confirms. It publishes a job again if its connection is lost before the confirm, or if the
/// broker rejects the message because a node failed.
final class JobPublisher: Sendable {
    private struct Message: Sendable {
        let plan: JobPlan
        let body: [UInt8]
    }

    /// The maximum time to wait for the end of a job before another job is published under its id.
    private static let longestWait = Duration.seconds(60)

    /// The number of unconfirmed messages at which publishing pauses.
    private static let mostUnconfirmed = 20

    /// An offset in the ids of publications. It distinguishes the confirm of a job's second publication from that of
    /// the first.
    private static let secondCopy: UInt64 = 1 << 40

    private let log: RunLog
    private let names: PipelineNames
    private let workload: Workload
    private let canceller: Canceller
    private let subscribe: Subscribe
    private let unconfirmed = Mutex<[UInt64: Message]>([:])
    private let publisher = Mutex<AMQPPublisher?>(nil)
    /// The number of recipients that were published out of turn since the last regular job.
    private let ahead = Mutex(0)
    /// The pending actions of the publisher for its jobs, such as cancellations.
    private let errands = Mutex<[Task<Void, Never>]>([])

    init(
        log: RunLog, names: PipelineNames, workload: Workload, canceller: Canceller, subscribe: @escaping Subscribe
    ) {
        self.log = log
        self.names = names
        self.workload = workload
        self.canceller = canceller
        self.subscribe = subscribe
    }

    func start(broker: AMQPConfiguration, delays: [Int], logger: Logger) async throws {
        let publisher = try AMQPPublisher(
            configuration: broker, topology: names.topology(delays: delays), logger: logger)
        self.publisher.withLock { $0 = publisher }
        try await publisher.connectOnce { [self] event in take(event) }
    }

    private func take(_ event: AMQPPublisherEvent) {
        switch event {
        case .confirmed(let ids):
            log.confirmed(ids.map(Self.job))
            unconfirmed.withLock { for id in ids { $0[id] = nil } }
        case .mayBeTaken(let ids): log.maybeTwice(ids.map(Self.job))
        case .refused(let ids):
            log.maybeTwice(ids.map(Self.job))
            after(1_000) { publisher in for id in ids { publisher.publish(id) } }
        case .returned(let returned):
            log.odd("the broker returned job \(Self.job(returned.id)): \(returned.code) \(returned.text)")
            unconfirmed.withLock { $0[returned.id] = nil }
        case .disconnected: log.maybeTwice(unconfirmed.withLock { $0.keys.map(Self.job) })
        case .connected, .unroutable, .blocked, .unblocked, .closed: break
        }
    }

    private static func job(_ id: UInt64) -> Int { Int(id % secondCopy) }

    /// Publishes every `stride`th job from `first` on, at `rate` recipients per second, until `end`.
    func publish(first: Int, stride: Int, rate: Double, until end: ContinuousClock.Instant) async {
        var next = ContinuousClock.now
        var number = first
        while ContinuousClock.now < end {
            next += .seconds(Double(publish(number) + takeAhead()) / rate)
            number += stride
            try? await Task.sleep(until: min(next, end))
            while isBusy, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
            // The publisher makes up for at most one second of lost time.
            next = max(next, .now - .seconds(1))
        }
    }

    /// Publishes a job at once. The publisher then pauses until it would have published the job's recipients at its
    /// rate.
    func publishOutOfTurn(_ number: Int) {
        let count = publish(number)
        ahead.withLock { $0 += count }
    }

    private func takeAhead() -> Int {
        ahead.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    /// Publishes a job, and schedules the actions in its traits.
    ///
    /// - Returns: the number of recipients of the job.
    @discardableResult
    func publish(_ number: Int) -> Int {
        let plan = workload.job(number)
        let now = currentMilliseconds()
        let sendAt = plan.traits.sendAfter.map { now + Int64($0) }
        let expiresAt = plan.traits.expireAfter.map { $0 == 0 ? 0 : now + Int64($0) }
        log.published(plan, at: now, sendAt: sendAt, expiresAt: expiresAt)
        let body = plan.json(sendAt: sendAt, expiresAt: expiresAt, subscribe: subscribe)
        let message = Message(plan: plan, body: Array(body.utf8))
        publish(message, as: UInt64(number))
        if let wait = plan.traits.cancelAfter {
            after(wait) { await $0.canceller.cancel(number) }
        }
        if let wait = plan.traits.publishAgainAfter {
            after(wait) { $0.publish(message, as: UInt64(number) + Self.secondCopy) }
        }
        if plan.traits.isFollowed { after(0) { await $0.follow(number) } }
        return plan.recipients.count
    }

    /// Publishes another job under the id of a job, after that job is done.
    private func follow(_ number: Int) async {
        let deadline = ContinuousClock.now + Self.longestWait
        while !log.isDone(number) {
            guard ContinuousClock.now < deadline, !Task.isCancelled else { return }
            try? await Task.sleep(for: .milliseconds(100))
        }
        publish(JobNumber.follower(of: number))
    }

    private func publish(_ message: Message, as id: UInt64) {
        unconfirmed.withLock { $0[id] = message }
        publish(id)
    }

    private func publish(_ id: UInt64) {
        guard let message = unconfirmed.withLock({ $0[id] }) else { return }
        publisher.withLock { $0 }?.publish([
            AMQPPublication(
                id: id, exchange: names.jobs, routingKey: message.plan.routingKey, isMandatory: true,
                properties: properties(of: message.plan), body: message.body)
        ])
    }

    /// Returns the message properties of a job. They contain the mistake of the publisher, if ``JobTraits/slip`` is set.
    private func properties(of plan: JobPlan) -> AMQPProperties {
        var properties = AMQPProperties(contentType: "application/json", messageID: plan.messageID)
        // A queue gets one copy of the message, even if several keys lead to it.
        let keys = [plan.lane.rawValue, "nowhere", "suspects", "\(plan.lane.rawValue).returned"]
        switch plan.traits.slip {
        case nil: break
        case .brokersWord:
            properties.priority = 31
            properties.headers = ["x-delivery-count": 50]
        case .copiesForNobody:
            properties.headers = ["CC": .array(keys.map { .string($0) }), "BCC": .array(keys.map { .string($0) })]
        case .copyInAnotherLane:
            let other: Lane = plan.lane == .normal ? .bulk : .normal
            properties.headers = ["CC": .array((keys + [other.rawValue]).map { .string($0) })]
        case .expiration: properties.expiration = "1"
        }
        return properties
    }

    private func after(_ milliseconds: Int, _ errand: @escaping @Sendable (JobPublisher) async -> Void) {
        let task = Task {
            try? await Task.sleep(for: .milliseconds(milliseconds))
            await errand(self)
        }
        errands.withLock { $0.append(task) }
    }

    private var isBusy: Bool { unconfirmed.withLock { $0.count >= Self.mostUnconfirmed } }

    /// Completes the pending actions, waits for the remaining confirms, and closes the connection.
    func finish(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        // A rejection by the broker adds another action to the list.
        while ContinuousClock.now < deadline, let errand = errands.withLock({ $0.popLast() }) { await errand.value }
        await publisher.withLock { $0.take() }?.close(drain: limit)
    }
}
