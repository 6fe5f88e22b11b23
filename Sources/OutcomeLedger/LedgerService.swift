package import AMQPClient
package import Contract
import Foundations
package import Logging
import PostgresClient
package import PushModel
import ServiceLifecycle
package import Store

/// A service that consumes result events and stores their outcomes in `martlet.ledger`.
///
/// | event | result |
/// |---|---|
/// | result events arrive | their outcomes are stored in one transaction, then the events are acknowledged |
/// | the process dies before the acknowledgement | the broker redelivers the events; readers ignore duplicate rows |
/// | the database fails or is down | writes are retried after at most 60 s; about 32 MiB of events wait in memory |
/// | nothing is stored for 5 s | an insert of no rows checks whether the database accepts writes |
/// | the queue in the broker is full | the broker drops the oldest events, so that workers never wait for the ledger |
/// | a message is malformed | it is logged and dropped |
package struct LedgerService: Service {
    /// The back-off between attempts to use the database. Its maximum limits how long the ledger stays idle after an
    /// operator has granted a permission or freed disk space.
    private static let waits = Backoff(first: .seconds(1), longest: .seconds(60))
    /// The approximate size of a batch of events, in bytes. Decoded events take ten times as much memory.
    private static let bytesAtOnce = 2 << 20
    private static let prefetch: UInt16 = 1_000
    private static let keepingInterval = Duration.seconds(3_600)
    private static let probeInterval = Duration.seconds(5)

    private let broker: AMQPConfiguration
    private let names: PipelineNames
    private let provision: AMQPTopology.Provision
    private let repository: LedgerRepository
    private let sampling: LedgerSampling
    private let keptDays: Int
    private let forms: [String: RecipientForm]
    private let monitor: LedgerMonitor
    private let failures = OngoingFailures()
    private let logger: Logger

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - provision: whether the service declares its queue or an operator does.
    ///   - forms: the address form of each output, by the name of the output.
    ///   - monitor: the record of the service's progress. A monitor serves only one service.
    package init(
        broker: AMQPConfiguration, names: PipelineNames, provision: AMQPTopology.Provision,
        repository: LedgerRepository, sampling: LedgerSampling, keptDays: Int, forms: [String: RecipientForm],
        monitor: LedgerMonitor, logger: Logger
    ) {
        self.broker = broker
        self.names = names
        self.provision = provision
        self.repository = repository
        self.sampling = sampling
        self.keptDays = keptDays
        self.forms = forms
        self.monitor = monitor
        self.logger = logger
    }

    package func run() async throws {
        var topology = names.ledgerTopology
        topology.provision = provision
        let consumer = try AMQPConsumer(
            configuration: broker, topology: topology,
            queues: [AMQPConsumedQueue(name: names.ledger, prefetch: Self.prefetch)], budget: monitor.inbox.budget,
            logger: logger)
        await cancelWhenGracefulShutdown {
            guard await keep() else { return }
            monitor.update { $0.begins() }
            consumer.start { [monitor] in monitor.hear($0) }
            logger.notice(
                .ledgerKept, "Ledger started", metadata: ["queue": "\(names.ledger)", "days": "\(keptDays)"])
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await keepHourly() }
                group.addTask { await lookRegularly() }
                await store(from: consumer)
                group.cancelAll()
            }
        }
        await consumer.close()
    }

    /// Stores arriving events until the task is cancelled. Probes the database at the start, and later whenever nothing
    /// has been stored for ``probeInterval``.
    private func store(from consumer: AMQPConsumer) async {
        let inbox = monitor.inbox
        var lastStatement: ContinuousClock.Instant?
        inbox.look()
        for await _ in inbox.signals {
            while true {
                let events = inbox.take(bytes: Self.bytesAtOnce)
                guard !events.isEmpty, let hasStored = await write(events) else { break }
                if hasStored { lastStatement = .now }
                inbox.finish(events)
                consumer.acknowledge(events.map { AMQPAcknowledgement($0.tag) })
            }
            if Task.isCancelled { break }
            guard lastStatement.map({ ContinuousClock.now - $0 >= Self.probeInterval }) ?? true else { continue }
            guard await untilStored([]) else { break }
            lastStatement = .now
        }
    }

    /// Stores the outcomes of a batch of events.
    ///
    /// - Returns: whether there were outcomes to store, or `nil` if the service is stopped before they are stored.
    private func write(_ events: [AMQPDelivery]) async -> Bool? {
        var rows: [LedgerRow] = []
        var unusable = 0
        for event in events {
            do {
                rows += try LedgerEvent.rows(of: event.body, forms: forms).filter(sampling.takes)
            } catch {
                unusable += 1
                logger.warning(
                    .notAnEvent, "Skipped a message that is not a result event",
                    metadata: ["error": "\(error)", "routing_key": "\(event.routingKey)"])
            }
        }
        let batch = LedgerProgress.Batch(events: events.count - unusable, unusable: unusable, outcomes: rows.count)
        if !rows.isEmpty, await !untilStored(rows) { return nil }
        monitor.update { $0.stored(batch, at: .now) }
        return !rows.isEmpty
    }

    /// Stores rows, or probes the database if there are none. Returns `false` if the service is stopped first.
    private func untilStored(_ rows: [LedgerRow]) async -> Bool {
        await untilDone {
            monitor.update { $0.statementBegan(at: .now) }
            try await add(rows)
            monitor.update { $0.statementSucceeded() }
            failures.ended(.ledgerResumed, "The ledger can be written again", after: .ledgerUnwritten, to: logger)
        } failed: { error, wait in
            let holdsEvents = monitor.eventsHeld > 0
            monitor.update {
                $0.statementFailed(error)
                if holdsEvents { $0.batchFailed() }
            }
            failures.began(
                .ledgerUnwritten, "The ledger cannot be written", error, metadata: ["retry": "\(wait)"], to: logger)
        }
    }

    private func add(_ rows: [LedgerRow]) async throws {
        guard !rows.isEmpty else { return try await repository.probe() }
        do {
            try await repository.add(rows)
        } catch let error as PostgresError where error.sqlState == Self.noPartition {
            try await repository.keep(days: keptDays)
            try await repository.add(rows)
        }
    }

    /// The SQLSTATE of an insert for a day that has no partition. A partition is missing if all hourly attempts of the
    /// day before failed.
    private static let noPartition = "23514"

    private func keep() async -> Bool {
        await untilDone {
            try await repository.keep(days: keptDays)
            failures.ended(
                .ledgerKeptAgain, "Ledger partitions can be created again", after: .ledgerUnkept, to: logger)
        } failed: { error, wait in
            monitor.update { $0.cannotBegin(error) }
            failures.began(
                .ledgerUnkept, "Ledger partitions cannot be created", error, metadata: ["retry": "\(wait)"],
                to: logger)
        }
    }

    private func keepHourly() async {
        while (try? await Task.sleep(for: Self.keepingInterval)) != nil { _ = await keep() }
    }

    private func lookRegularly() async {
        while (try? await Task.sleep(for: Self.probeInterval)) != nil { monitor.inbox.look() }
    }

    /// Repeats an operation with back-off until it succeeds. Returns `false` if the service is stopped first.
    private func untilDone(
        _ body: () async throws -> Void, failed: (_ error: String, _ wait: Duration) -> Void
    ) async -> Bool {
        var waits = Self.waits
        while true {
            do {
                try await body()
                return true
            } catch {
                if Task.isCancelled { return false }
                let wait = waits.failed(random: .random(in: 0...1))
                failed("\(error)", wait)
                guard (try? await Task.sleep(for: wait)) != nil else { return false }
            }
        }
    }
}
