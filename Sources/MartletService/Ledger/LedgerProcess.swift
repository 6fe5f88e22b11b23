import AMQPClient
import DeliveryPipeline
import EventNames
import Ledger
public import Logging
import PostgresClient
import PushModel
import ServiceLifecycle
import Store
import UnixSignals

/// `martlet ledger`, put together from its configuration. As many as you like may run: they share one queue.
public struct LedgerProcess: Sendable {
    private let configuration: ConfigurationSource
    private let broker: AMQPConfiguration
    private let names: PipelineNames
    private let provision: AMQPTopology.Provision
    private let database: PostgresConfiguration
    private let sampling: LedgerSampling
    private let keptDays: Int
    private let logger: Logger

    /// - Throws: ``ConfigurationError``.
    public init(configuration: ConfigurationSource, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        broker = try configuration.broker()
        names = try configuration.names()
        provision = try configuration.provision()
        database = try configuration.database(applicationName: "martlet ledger")
        keptDays = try configuration.integer(.ledgerDays, in: 1...3_650)
        let sent = try configuration.required(.ledgerSent)
        guard let sampling = LedgerSampling(sent) else {
            throw ConfigurationError(
                .ledgerSent, "is \(sent), but must be all, none or sample: and a part such as 0.01")
        }
        self.sampling = sampling
    }

    /// Works until SIGTERM or SIGINT. A database that can't be reached is waited for.
    ///
    /// - Throws: ``StoreError`` when migrations are missing, ``AMQPError``.
    public func run() async throws {
        let pool = PostgresPool(database, logger: logger)
        defer { pool.close() }
        let ledger = LedgerService(
            broker: broker, names: names, provision: provision, repository: LedgerRepository(pool), sampling: sampling,
            keptDays: keptDays, forms: configuration.outputs.recipients, logger: logger)
        try await ServiceGroup(
            configuration: .init(
                services: [AfterMigrations(database: database, service: ledger, logger: logger).endingAll],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
    }
}

/// Runs a service once the database is there, and has the tables that this program was built for.
private struct AfterMigrations: Service {
    let database: PostgresConfiguration
    let service: any Service
    let logger: Logger

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                try await DatabaseWait.untilThere { error, wait in
                    error.tellWaiting(wait, logger)
                } _: {
                    try await Migrations(database, logger: logger).verify()
                }
            }
        } catch  where Task.isShuttingDownGracefully {
            return
        }
        try await service.run()
    }
}
