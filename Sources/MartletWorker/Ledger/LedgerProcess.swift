import Contract
package import Foundations
import AMQPClient
import DeliveryPipeline
package import MartletConfiguration
import Observability
import OutcomeLedger
package import Logging
import Metering
import NIOPosix
import PostgresClient
import PushModel
import ServiceLifecycle
import Store
import UnixSignals

/// The process `martlet ledger`, built from its configuration. Several such processes may consume the same queue.
package struct LedgerProcess: Sendable {
    private let configuration: ConfigurationSource
    private let broker: AMQPConfiguration
    private let names: PipelineNames
    private let provision: AMQPTopology.Provision
    private let database: PostgresConfiguration
    private let sampling: LedgerSampling
    private let keptDays: Int
    /// The address of the HTTP server, or `nil` for none.
    private let listen: Endpoint?
    private let access: StatusAccess
    private let logger: Logger

    /// Creates the process from its configuration.
    ///
    /// - Throws: `ConfigurationError`.
    package init(configuration: ConfigurationSource, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        broker = try configuration.broker()
        names = try configuration.names()
        provision = try configuration.provision()
        database = try configuration.database(applicationName: "martlet ledger")
        keptDays = try configuration.integer(.ledgerDays)
        listen = try Self.endpoint(configuration)
        access = try StatusAccess(configuration)
        try configuration.check()
        let sent = try configuration.required(.ledgerSent)
        guard let sampling = LedgerSampling(sent) else {
            throw ConfigurationError(
                .ledgerSent, "is \(sent), but must be all, none or sample: and a share, such as sample:0.01")
        }
        self.sampling = sampling
    }

    /// Returns the address of the HTTP server, or `nil` if `http.listen` is empty. If no flag, variable or file sets
    /// `http.listen`, the port is one above the worker's default, so that both processes can run on one host.
    ///
    /// - Throws: `ConfigurationError`.
    package static func endpoint(_ configuration: ConfigurationSource) throws -> Endpoint? {
        guard !(configuration.string(.httpListen) ?? "").isEmpty else { return nil }
        let endpoint = try configuration.endpoint(.httpListen)
        return configuration.origins.origin(of: .httpListen) == .standard
            ? Endpoint(host: endpoint.host, port: endpoint.port + 1) : endpoint
    }

    /// Runs the ledger until SIGTERM or SIGINT. If the database can't be reached, the ledger waits for it.
    ///
    /// - Throws: `StoreError` if migrations are missing; `AMQPError`; `ListenError`.
    package func run() async throws {
        let pool = PostgresPool(database, logger: logger)
        defer { pool.close() }
        let monitor = LedgerMonitor(now: .now)
        let ledger = LedgerService(
            broker: broker, names: names, provision: provision, repository: LedgerRepository(pool), sampling: sampling,
            keptDays: keptDays, forms: configuration.outputs.recipients, monitor: monitor, logger: logger)
        // The HTTP server starts without waiting for the database, and stops after the ledger.
        var services: [any Service] = []
        if let listen { services.append(server(on: listen, monitor)) }
        services.append(AfterMigrations(database: database, monitor: monitor, service: ledger, logger: logger))
        var group = ServiceGroupConfiguration(
            services: services.map { $0.endingAll }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        StopLimits(drain: .zero).bound(&group)
        try await ServiceGroup(configuration: group).run()
    }

    private func server(on endpoint: Endpoint, _ monitor: LedgerMonitor) -> StatusServer {
        let metrics = MetricRegistry()
        LedgerMetrics.register(monitor, in: metrics)
        return StatusServer(
            endpoint: endpoint, eventLoops: MultiThreadedEventLoopGroup.singleton,
            obstacle: { monitor.progress.obstacle(at: .now) }, access: access, metrics: metrics,
            families: MetricFamily.ofLedger)
    }
}

/// A service that runs another service as soon as the database is available and has the tables that this program needs.
private struct AfterMigrations: Service {
    let database: PostgresConfiguration
    let monitor: LedgerMonitor
    let service: any Service
    let logger: Logger

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                try await DatabaseWait.untilThere { error, wait in
                    monitor.update { $0.cannotBegin("\(error)") }
                    error.logWaiting(wait, logger)
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
