package import AMQPClient
package import DeliveryPipeline
import EventNames
package import Logging
import Pacing
import PostgresClient
package import PushModel
import ServiceLifecycle
package import Store

/// Writes what the results exchange tells into `martlet.ledger`.
///
/// | what happens | then |
/// |---|---|
/// | events arrive | those that have are written together, in one transaction, and then acknowledged |
/// | this process dies between the two | they come again and are written again: what is told twice is read once |
/// | the database is away, or refuses | 32 MB of them wait here, the rest in the broker; tried again after 1 s, later 60 s |
/// | the queue in the broker has reached its limit | the broker drops the oldest: workers never wait for a ledger |
/// | something that is no event | is dropped, and said |
package struct LedgerService: Service {
    /// Whoever grants a right or mends a disk has done so within a minute.
    private static let waits = Backoff(first: .seconds(1), longest: .seconds(60))
    /// Decoded they take ten times that.
    private static let bytesAtOnce = 2 << 20
    private static let prefetch: UInt16 = 1_000
    private static let bytes = 32 << 20
    private static let keepingInterval = Duration.seconds(3_600)

    private let broker: AMQPConfiguration
    private let names: PipelineNames
    private let provision: AMQPTopology.Provision
    private let repository: LedgerRepository
    private let sampling: LedgerSampling
    private let keptDays: Int
    private let forms: [String: RecipientForm]
    private let logger: Logger

    /// - Parameters:
    ///   - provision: who makes its queue.
    ///   - forms: of each output's addresses.
    package init(
        broker: AMQPConfiguration, names: PipelineNames, provision: AMQPTopology.Provision,
        repository: LedgerRepository, sampling: LedgerSampling, keptDays: Int, forms: [String: RecipientForm],
        logger: Logger
    ) {
        self.broker = broker
        self.names = names
        self.provision = provision
        self.repository = repository
        self.sampling = sampling
        self.keptDays = keptDays
        self.forms = forms
        self.logger = logger
    }

    package func run() async throws {
        let budget = AMQPByteBudget(limit: Self.bytes)
        let inbox = LedgerInbox(budget)
        var topology = names.ledgerTopology
        topology.provision = provision
        let consumer = try AMQPConsumer(
            configuration: broker, topology: topology,
            queues: [AMQPConsumedQueue(name: names.ledger, prefetch: Self.prefetch)], budget: budget, logger: logger)
        await cancelWhenGracefulShutdown {
            guard await keep() else { return }
            consumer.start { inbox.hear($0) }
            logger.notice(
                .ledgerKept, "The ledger is kept", metadata: ["queue": "\(names.ledger)", "days": "\(keptDays)"])
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await keepHourly() }
                for await _ in inbox.signals {
                    while true {
                        let events = inbox.take(bytes: Self.bytesAtOnce)
                        guard !events.isEmpty, await write(events) else { break }
                        inbox.release(events)
                        consumer.acknowledge(events.map { AMQPAcknowledgement($0.tag) })
                    }
                    if Task.isCancelled { break }
                }
                group.cancelAll()
            }
        }
        await consumer.close()
    }

    /// - Returns: false when it was told to stop before they were written.
    private func write(_ events: [AMQPDelivery]) async -> Bool {
        var rows: [LedgerRow] = []
        for event in events {
            do {
                rows += try LedgerEvent.rows(of: event.body, forms: forms).filter(sampling.takes)
            } catch {
                logger.warning(
                    .notAnEvent, "A message of the results exchange is no event, and is left out",
                    metadata: ["error": "\(error)", "routing_key": "\(event.routingKey)"])
            }
        }
        guard !rows.isEmpty else { return true }
        return await untilDone(.ledgerUnwritten, "The ledger can't be written") {
            do {
                try await repository.add(rows)
            } catch let error as PostgresError where error.sqlState == Self.noPartition {
                try await repository.keep(days: keptDays)
                try await repository.add(rows)
            }
        }
    }

    /// As after a day in which the hourly look failed.
    private static let noPartition = "23514"

    private func keep() async -> Bool {
        await untilDone(.ledgerUnkept, "The ledger's partitions can't be made") {
            try await repository.keep(days: keptDays)
        }
    }

    private func keepHourly() async {
        while (try? await Task.sleep(for: Self.keepingInterval)) != nil { _ = await keep() }
    }

    private func untilDone(
        _ event: EventName, _ problem: Logger.Message, _ body: () async throws -> Void
    ) async -> Bool {
        var waits = Self.waits
        while true {
            do {
                try await body()
                if waits.failures > 0 { logger.notice(.ledgerResumed, "The ledger is written again") }
                return true
            } catch {
                if Task.isCancelled { return false }
                let wait = waits.failed(random: .random(in: 0...1))
                logger.warning(event, problem, metadata: ["error": "\(error)", "retry": "\(wait)"])
                guard (try? await Task.sleep(for: wait)) != nil else { return false }
            }
        }
    }
}

extension PipelineNames {
    /// Queue of what becomes of recipients, for the ledger.
    package var ledger: String { "\(prefix).ledger" }

    /// It holds a gigabyte, and then forgets the oldest: a ledger that is away must not keep workers from telling others.
    package var ledgerTopology: AMQPTopology {
        AMQPTopology(
            queues: [
                AMQPQueue(
                    name: ledger,
                    arguments: [
                        "x-queue-type": "quorum", "x-overflow": "drop-head", "x-max-length-bytes": .int64(1 << 30),
                        "x-delivery-limit": .int64(1_000_000),
                    ])
            ],
            bindings: [AMQPBinding(queue: ledger, exchange: results, routingKey: "#")])
    }
}
