import AMQPClient
import DeliveryPipeline
import Foundation
import Logging
import MartletService

/// The dead-letter queue, opened by a command. What is not taken out stays in it.
struct DeadQueue {
    let names: PipelineNames
    let user: String?
    private let broker: AMQPConfiguration
    private let topology: AMQPTopology
    private let deliveries: Deliveries
    private let logger: Logger

    init(_ options: ConfigurationOptions) async throws {
        let source = try await options.load()
        names = try source.names()
        topology = names.topology(delays: try source.pipeline().retry.delays)
        broker = try source.broker()
        user = broker.user
        logger = try source.logger("martlet.dead", atLeast: .warning)
        deliveries = try await Deliveries(
            of: names.dead, topology: topology, broker: broker, prefetch: .max, logger: logger)
    }

    func publisher() async throws -> AMQPPublisher {
        let publisher = try AMQPPublisher(configuration: broker, topology: topology, logger: logger)
        try await publisher.connectOnce()
        return publisher
    }

    func takeOut(_ job: DeadJob) { deliveries.acknowledge(job.delivery) }

    func close() async { await deliveries.close() }

    /// Every job that fits, until `body` says that it is enough.
    ///
    /// The broker does not say when a queue has no more: half a second without a message is taken for it.
    func forEach(_ filter: DeadFilter, _ body: (DeadJob) async throws -> Bool) async throws {
        let (found, continuation) = AsyncStream.makeStream(of: AMQPDelivery?.self)
        let reading = Task { [deliveries] in
            for await delivery in deliveries.stream { continuation.yield(delivery) }
            continuation.finish()
        }
        defer { reading.cancel() }
        var quiet = Self.quiet(.seconds(1), continuation)
        defer { quiet.cancel() }
        for await delivery in found {
            guard let delivery else { return }
            quiet.cancel()
            let job = DeadJob(delivery)
            if filter.fits(job), try await !body(job) { return }
            quiet = Self.quiet(.milliseconds(500), continuation)
        }
    }

    private static func quiet(
        _ time: Duration, _ continuation: AsyncStream<AMQPDelivery?>.Continuation
    ) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(for: time)
            continuation.yield(nil)
        }
    }
}
