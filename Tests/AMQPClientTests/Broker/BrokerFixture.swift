import AMQPClient
import Logging
import TestSupport
import Testing
import Foundations

/// The broker of the tests, which `make test` provides.
enum TestBroker {
    static func configuration() throws -> AMQPConfiguration {
        var configuration = try AMQPConfiguration(url: try #require(TestServers.broker))
        configuration.connectionName = "AMQPClientTests"
        return configuration
    }

    static var logger: Logger {
        var logger = Logger(label: "AMQPClientTests")
        logger.logLevel = .critical
        return logger
    }

    static func uniqueName(_ name: String) -> String {
        "amqp-client-tests-\(name)-\(UInt64.random(in: 0...UInt64.max))"
    }

    /// Returns a queue that the broker deletes later if the test leaves it behind.
    static func queue(_ name: String, arguments: AMQPFieldTable = [:]) -> AMQPQueue {
        var arguments = arguments
        arguments["x-expires"] = .int32(600_000)
        return AMQPQueue(name: uniqueName(name), arguments: arguments)
    }
}

/// A log of events. A test can wait until the events meet a condition.
final class EventLog<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var waiters: [UInt64: (isMet: @Sendable ([Event]) -> Bool, continuation: CheckedContinuation<Bool, Never>)] =
            [:]
        var nextWaiter: UInt64 = 0
    }

    private let state = Mutex(State())

    var events: [Event] { state.withLock { $0.events } }

    func append(_ event: Event) {
        let met = state.withLock { state in
            state.events.append(event)
            let met = state.waiters.filter { $0.value.isMet(state.events) }
            for key in met.keys { state.waiters[key] = nil }
            return met.values.map(\.continuation)
        }
        for continuation in met { continuation.resume(returning: true) }
    }

    /// Waits until the events meet the condition. After `timeout`, fails the test and shows the events.
    func wait(
        _ what: String, timeout: Duration = .seconds(60) * deadlineFactor,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ isMet: @escaping @Sendable ([Event]) -> Bool
    ) async throws {
        let isInTime = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let waiter: UInt64? = state.withLock { state in
                if isMet(state.events) { return nil }
                state.nextWaiter += 1
                state.waiters[state.nextWaiter] = (isMet, continuation)
                return state.nextWaiter
            }
            guard let waiter else { return continuation.resume(returning: true) }
            Task {
                try await Task.sleep(for: timeout)
                let late = state.withLock { $0.waiters.removeValue(forKey: waiter) }
                late?.continuation.resume(returning: false)
            }
        }
        try #require(
            isInTime, "Timed out after \(timeout) waiting for \(what): \(String(describing: events).prefix(2000))",
            sourceLocation: sourceLocation)
    }
}

extension [AMQPConsumerEvent] {
    var deliveries: [AMQPDelivery] {
        flatMap { event -> [AMQPDelivery] in
            if case .deliveries(let deliveries) = event { deliveries } else { [] }
        }
    }

    var connections: Int { filter { if case .connected = $0 { true } else { false } }.count }
    var isStopped: Bool { contains { if case .stopped = $0 { true } else { false } } }
    var failures: [AMQPError] { compactMap { if case .disconnected(let error) = $0 { error } else { nil } } }
}

extension [AMQPPublisherEvent] {
    var confirmed: [UInt64] {
        flatMap { event -> [UInt64] in
            if case .confirmed(let ids) = event { ids } else { [] }
        }
    }

    var refused: [UInt64] {
        flatMap { event -> [UInt64] in
            if case .refused(let ids) = event { ids } else { [] }
        }
    }

    var mayBeTaken: [UInt64] {
        flatMap { event -> [UInt64] in
            if case .mayBeTaken(let ids) = event { ids } else { [] }
        }
    }

    var unroutable: [UInt64] { compactMap { if case .unroutable(let id) = $0 { id } else { nil } } }
    var returned: [AMQPReturn] { compactMap { if case .returned(let value) = $0 { value } else { nil } } }
    var connections: Int { filter { if case .connected = $0 { true } else { false } }.count }
    var failures: [AMQPError] { compactMap { if case .disconnected(let error) = $0 { error } else { nil } } }
}

/// A consumer with a log of its events.
struct TestConsumer {
    let log = EventLog<AMQPConsumerEvent>()
    let consumer: AMQPConsumer

    init(
        _ configuration: AMQPConfiguration? = nil, topology: AMQPTopology = AMQPTopology(),
        queues: [AMQPConsumedQueue], budget: AMQPByteBudget? = nil
    ) throws {
        consumer = try AMQPConsumer(
            configuration: try configuration ?? TestBroker.configuration(), topology: topology, queues: queues,
            budget: budget, logger: TestBroker.logger)
    }

    func start() { consumer.start { [log] in log.append($0) } }

    func connectOnce() async throws(AMQPError) { try await consumer.connectOnce { [log] in log.append($0) } }
}

/// A publisher with a log of its events.
struct TestPublisher {
    let log = EventLog<AMQPPublisherEvent>()
    let publisher: AMQPPublisher

    init(
        _ configuration: AMQPConfiguration? = nil, topology: AMQPTopology = AMQPTopology(),
        unconfirmedLimit: Int = 4096
    ) throws {
        publisher = try AMQPPublisher(
            configuration: try configuration ?? TestBroker.configuration(), topology: topology,
            unconfirmedLimit: unconfirmedLimit, logger: TestBroker.logger)
    }

    func start() { publisher.start { [log] in log.append($0) } }

    func connectOnce() async throws(AMQPError) { try await publisher.connectOnce { [log] in log.append($0) } }

    /// Declares the queue, publishes the messages and closes the connection.
    static func publish(_ bodies: [[UInt8]], to queue: AMQPQueue) async throws {
        let publisher = try AMQPPublisher(
            configuration: try TestBroker.configuration(), topology: AMQPTopology(queues: [queue]),
            logger: TestBroker.logger)
        try await publisher.connectOnce()
        try await publisher.publishAndWait(
            bodies.enumerated().map { index, body in
                AMQPPublication(
                    id: UInt64(index), exchange: "", routingKey: queue.name, isMandatory: true, body: body)
            })
        await publisher.close()
    }
}
