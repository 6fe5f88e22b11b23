import AMQPClient
import CommandSupport
import Contract
import DeliveryPipeline
import Logging
import MartletConfiguration

/// A reader of the dead-letter queue. Messages that the command does not take out stay in the queue.
struct DeadQueue {
    /// The maximum number of unacknowledged messages of one consumer, which is RabbitMQ's maximum prefetch.
    private static let mostUnacknowledged = Int(UInt16.max)

    let names: PipelineNames
    let user: String?
    private let source: ConfigurationSource
    private let broker: AMQPConfiguration
    private let logger: Logger

    init(_ options: ConfigurationOptions) async throws {
        try self.init(try await options.load())
    }

    init(_ source: ConfigurationSource) throws {
        self.source = source
        names = try source.names()
        broker = try source.broker()
        user = broker.user
        logger = try source.logger("martlet.dead", atLeast: .error)
    }

    /// Returns a publisher for jobs.
    ///
    /// - Throws: ``BrokerFault`` if the exchange for jobs does not exist.
    func publisher(_ patience: ConfirmTimeoutOption) async throws -> ConfirmingPublisher {
        try await BrokerCheck.require(exchanges: [names.jobs], by: source)
        return try await ConfirmingPublisher(broker, patience, logger: logger)
    }

    /// Calls `body` with each matching job in the queue, until `body` ends the run. Jobs that arrive during the run are
    /// not passed, including replayed jobs that are dead-lettered again.
    ///
    /// - Parameters:
    ///   - doing: the verb for progress lines, such as "replayed".
    ///   - body: returns the decision about the job.
    /// - Throws: the errors of `body`; ``BrokerFault`` if the queue does not exist; `AMQPError` if the connection is
    ///   lost.
    func forEach(
        _ filter: DeadFilter, doing: String, _ body: (DeadJob) async throws -> DeadVerdict
    ) async throws {
        let count = try await waiting()
        guard count > 0 else { return }
        let deliveries = try await Deliveries(
            of: names.dead, broker: broker, consumers: count / Self.mostUnacknowledged + 1, endsWithConnection: true,
            logger: logger)
        do {
            try await read(count, deliveries, filter, doing, body)
        } catch {
            await deliveries.close()
            throw error
        }
        // Closing the connection waits until all acknowledgements are sent.
        await deliveries.close()
        try deliveries.requireConnection()
    }

    private func read(
        _ count: Int, _ deliveries: Deliveries, _ filter: DeadFilter, _ doing: String,
        _ body: (DeadJob) async throws -> DeadVerdict
    ) async throws {
        var progress = Progress()
        var (seen, fitting) = (0, 0)
        var last = ContinuousClock.now
        for try await delivery in deliveries.stream {
            try deliveries.requireConnection()
            guard let delivery else {
                guard ContinuousClock.now - last > .seconds(5), try await look().messages == 0 else { continue }
                return printError("another consumer took \(count - seen) of the \(count) messages")
            }
            seen += 1
            let job = DeadJob(delivery)
            if filter.fits(job) {
                let verdict = try await body(job)
                try deliveries.requireConnection()
                fitting += 1
                if verdict.takesOut { deliveries.acknowledge(delivery) }
                if verdict.isEnough { return }
            }
            deliveries.release(delivery)
            if seen == count { return }
            progress.report { _ in "\(doing) \(fitting), checked \(seen) of \(count)" }
            last = .now
        }
    }

    /// Returns the number of messages in the queue. If another command consumes the queue, first waits up to three
    /// seconds for that command to end, because the broker does not count the messages that a consumer has received and
    /// not acknowledged.
    private func waiting() async throws -> Int {
        let patience = ContinuousClock.now + .seconds(3)
        while true {
            let found = try await look()
            if found.consumers == 0 { return found.messages }
            guard ContinuousClock.now < patience else {
                printError("another consumer reads \(names.dead): messages that it has received are skipped")
                return found.messages
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func look() async throws -> AMQPInspection.Queue {
        let found = try await BrokerCheck.require(queues: [names.dead], by: source)
        return found.queues[names.dead] ?? AMQPInspection.Queue(messages: 0, consumers: 0)
    }
}
