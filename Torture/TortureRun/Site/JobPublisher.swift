import AMQPClient
import DeliveryPipeline
import Logging
import PushModel
import Synchronization

/// One of several publishers with confirms. What is not confirmed when its connection is lost, it publishes again, as
/// publishers do.
final class JobPublisher: Sendable {
    /// Jobs without a confirm: then it waits.
    private static let mostUnconfirmed = 20

    private let log: RunLog
    private let names: PipelineNames
    private let workload: Workload
    private let unconfirmed = Mutex<Set<Int>>([])
    private let publisher = Mutex<AMQPPublisher?>(nil)

    init(log: RunLog, names: PipelineNames, workload: Workload) {
        self.log = log
        self.names = names
        self.workload = workload
    }

    func start(broker: AMQPConfiguration, delays: [Int], logger: Logger) async throws {
        let publisher = try AMQPPublisher(
            configuration: broker, topology: names.topology(delays: delays), logger: logger
        ) { [self] event in take(event) }
        self.publisher.withLock { $0 = publisher }
        try await publisher.connectOnce()
    }

    private func take(_ event: AMQPPublisherEvent) {
        switch event {
        case .confirmed(let ids):
            log.confirmed(ids.map { Int($0) })
            unconfirmed.withLock { $0.subtract(ids.map { Int($0) }) }
        case .refused(let ids): unconfirmed.withLock { $0.subtract(ids.map { Int($0) }) }
        case .returned(let returned):
            log.odd("the broker returned job \(returned.id): \(returned.code) \(returned.text)")
            unconfirmed.withLock { _ = $0.remove(Int(returned.id)) }
        case .disconnected: log.maybeTwice(unconfirmed.withLock { Array($0) })
        case .connected, .blocked, .unblocked, .closed: break
        }
    }

    /// Publishes every `stride`th job from `first` on, so many recipients a second, until time is up.
    func publish(first: Int, stride: Int, rate: Double, until end: ContinuousClock.Instant) async {
        var next = ContinuousClock.now
        var number = first
        while ContinuousClock.now < end {
            next += .seconds(Double(publish(number)) / rate)
            number += stride
            try? await Task.sleep(until: min(next, end))
            while isBusy, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
            // What could not be published for a while is not made up for.
            next = max(next, .now - .seconds(1))
        }
    }

    /// - Returns: how many recipients it has.
    @discardableResult
    func publish(_ number: Int) -> Int {
        let plan = workload.job(number)
        log.published(plan)
        unconfirmed.withLock { _ = $0.insert(plan.number) }
        publisher.withLock { $0 }?.publish([
            AMQPPublication(
                id: UInt64(plan.number), exchange: names.jobs, routingKey: plan.lane.rawValue, isMandatory: true,
                properties: AMQPProperties(contentType: "application/json"), body: Array(plan.json.utf8))
        ])
        return plan.recipients.count
    }

    private var isBusy: Bool { unconfirmed.withLock { $0.count >= Self.mostUnconfirmed } }

    /// Waits for the broker's answer to everything, then closes.
    func finish(within limit: Duration) async { await publisher.withLock { $0.take() }?.close(drain: limit) }
}
