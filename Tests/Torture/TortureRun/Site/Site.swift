import AMQPClient
import APNSSimulator
import Contract
import DeliveryPipeline
import Foundation
import Logging
import PostgresClient
import PushModel
import Store
import TestSupport
import WorkerTestSupport

/// The complete environment of a run: broker, database, services, workers, and the links between them.
struct Site: Sendable {
    static let names = PipelineNames(prefix: "martlet")

    let profile: Profile
    let folder: URL
    let servers: LocalServers
    let databaseServers: DatabaseServers
    /// The pool of connections to the database server that accepts writes.
    let pool: PostgresPool
    let services: Services
    let credentials: Credentials
    let fullQueue: FullQueue
    private let links: [Int: [Fault.Link: WorkerLink]]
    /// The workers, ordered by number. The last one joins late.
    let workers: [WorkerProcess]
    let logger: Logger

    private static let keyringText = "torture \(String(repeating: "A", count: 43))=\n"

    /// Starts everything except the workers.
    static func start(
        _ profile: Profile, martlet: String, servers: LocalServers, folder: URL, log: RunLog
    ) async throws -> Site {
        var logger = Logger(label: "torture")
        logger.logLevel = .critical
        let services = try await Services.start(log, logger)
        let database = try await TestDatabase.create(on: try servers.databaseURL)
        database.pool.close()
        let databaseServers = try DatabaseServers(servers, url: database.url)
        try await databaseServers.pair()
        let pool = try pool(of: database.url, ports: try servers.databasePorts, logger)
        let keyring = try MasterKeyring(text: keyringText, source: "torture")
        let credentials = Credentials(pool: pool, keyring: keyring, services: services)
        try await credentials.addApps()

        try services.writeAuthorities(to: folder)
        try PrivateFile.write(keyringText, to: folder.appending(path: "keyring"))
        var allLinks: [Int: [Fault.Link: WorkerLink]] = [:]
        var workers: [WorkerProcess] = []
        for number in 1...profile.latecomer {
            var links = try services.links()
            links[.broker] = try WorkerLink(to: try servers.brokerPorts.rotated(by: number - 1))
            links[.database] = try WorkerLink(to: try servers.databasePorts.rotated(by: number - 1))
            allLinks[number] = links
            let configuration = WorkerConfiguration(
                file: folder.appending(path: "worker-\(number).yaml"),
                values: configuration(
                    number, profile, brokerURL: try servers.brokerURL, databaseURL: database.url, links, folder
                ).merging(services.settings(links, folder: folder, profile)) { $1 })
            try configuration.write()
            workers.append(
                WorkerProcess(
                    number: number, program: martlet, configuration: configuration,
                    logFile: folder.appending(path: "worker-\(number).log"), log: log))
        }
        return Site(
            profile: profile, folder: folder, servers: servers, databaseServers: databaseServers, pool: pool,
            services: services,
            credentials: credentials,
            fullQueue: FullQueue(names, broker: Broker(url: try servers.brokerURL)), links: allLinks, workers: workers,
            logger: logger)
    }

    /// Stops everything except the servers, which the owner of the site stops.
    func stop() async {
        for worker in workers { try? await worker.kill() }
        for links in links.values { for link in links.values { link.stop() } }
        await services.stop()
        pool.close()
    }

    private static func pool(of url: String, ports: [UInt16], _ logger: Logger) throws -> PostgresPool {
        var options = PostgresPool.Options()
        // A connection may take a while, because the database may be unavailable.
        options.leaseTimeout = .seconds(60)
        return PostgresPool(
            try PostgresConfiguration(url: Self.url(url, ports: ports)), options: options, logger: logger)
    }

    /// Returns a client's configuration for connecting to the broker.
    ///
    /// - Parameter client: the number of the client. Each client tries a different node first.
    func brokerConfiguration(client: Int = 0) throws -> AMQPConfiguration {
        try AMQPConfiguration(
            url: Self.url(try servers.brokerURL, ports: try servers.brokerPorts.rotated(by: client)))
    }

    /// The APNs simulator.
    var simulator: SimulatedAPNS { services.apns.simulator }

    /// Returns the link between a worker and one of its peers.
    func link(_ link: Fault.Link, _ worker: Int) -> WorkerLink { links[worker]?[link] ?? .none }

    /// Returns the number of messages in each of Martlet's queues and in the consumer's results queue.
    func waitingMessages() async throws -> [String: Int] {
        let queues = Self.names.topology(delays: profile.retryDelays).queues.map(\.name)
        return try await Broker(url: try servers.brokerURL).counts(queues + [ResultQueue.name(Self.names)])
    }

    /// Returns a URL in which several local addresses replace the single one.
    private static func url(_ url: String, ports: [UInt16]) -> String {
        url.replacing(/127\.0\.0\.1:[0-9]+/, with: ports.map { "127.0.0.1:\($0)" }.joined(separator: ","))
    }

    private static func configuration(
        _ number: Int, _ profile: Profile, brokerURL: String, databaseURL: String, _ links: [Fault.Link: WorkerLink],
        _ folder: URL
    ) -> [String: String] {
        func through(_ link: Fault.Link, _ url: String) -> String { Self.url(url, ports: links[link]?.ports ?? []) }
        return [
            "amqp.url": through(.broker, brokerURL) + "?heartbeat=\(profile.heartbeatSeconds)",
            "amqp.prefix": names.prefix,
            "amqp.prefetch.urgent": "\(profile.prefetch[.urgent] ?? 1)",
            "amqp.prefetch.normal": "\(profile.prefetch[.normal] ?? 1)",
            "amqp.prefetch.bulk": "\(profile.prefetch[.bulk] ?? 1)",
            "database.url": through(.database, databaseURL)
                + (profile.hasStandby ? "?target_session_attrs=read-write" : ""),
            "keyring.file": folder.appending(path: "keyring").path,
            "jobs.chunk_size": "100", "jobs.deduplication_window": "\(profile.deduplicationWindow)",
            "http.listen": "", "worker.name": "worker-\(number)",
            "worker.longest_wait": "\(Profile.patience / 4_000)",
            "worker.maximum_in_flight": "\(profile.maximumInFlight)",
            "worker.drain_timeout": "\(profile.drainSeconds)",
            "retry.delays": profile.retryDelays.map(String.init).joined(separator: ","),
            "retry.maximum_attempts": "\(profile.maximumAttempts)",
        ]
    }
}
