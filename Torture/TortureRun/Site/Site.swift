import AMQPClient
import APNSSimulator
import DeliveryPipeline
import Foundation
import Logging
import PostgresClient
import PushModel
import Store
import TestSupport
import WorkerTestSupport

/// All that a run needs, of its own: broker, database, simulator, workers, and something between each two of them.
struct Site: Sendable {
    static let names = PipelineNames(prefix: "martlet")

    let profile: Profile
    let folder: URL
    let servers: LocalServers
    let database: TestDatabase
    let simulator: APNSSimulator
    let credentials: Credentials
    let fullQueue: FullQueue
    private let links: [Int: [Fault.Link: WorkerLink]]
    /// The last one joins late.
    let workers: [WorkerProcess]
    let logger: Logger

    private static let keyringText = "torture \(String(repeating: "A", count: 43))=\n"

    /// Starts everything but the workers.
    static func start(
        _ profile: Profile, martlet: String, servers: LocalServers, folder: URL, log: RunLog
    ) async throws -> Site {
        var logger = Logger(label: "torture")
        logger.logLevel = .critical
        let simulator = try await startSimulator(logger)
        simulator.observe { token, sighting in
            let now = currentMilliseconds()
            guard let recipient = RecipientID(token: token) else {
                return log.odd("a request for the device token \(token)")
            }
            log.add(SightingRecord(recipient: recipient, what: .init(sighting), at: now))
        }
        let database = try await TestDatabase.create(on: try servers.databaseURL)
        let keyring = try MasterKeyring(text: keyringText, source: "torture")
        let credentials = Credentials(pool: database.pool, keyring: keyring, simulator: simulator)
        try await credentials.addApps()

        try PrivateFile.write(try simulator.caCertificatePEM, to: folder.appending(path: "ca.pem"))
        try PrivateFile.write(keyringText, to: folder.appending(path: "keyring"))
        let databasePort = UInt16(clamping: URLComponents(string: database.url)?.port ?? 0)
        var allLinks: [Int: [Fault.Link: WorkerLink]] = [:]
        var workers: [WorkerProcess] = []
        for number in 1...profile.latecomer {
            let links: [Fault.Link: WorkerLink] = [
                .broker: try WorkerLink(to: try servers.brokerPorts.rotated(by: number - 1)),
                .database: try WorkerLink(to: [databasePort]),
                .apns: try WorkerLink(to: [UInt16(clamping: simulator.port)]),
            ]
            allLinks[number] = links
            let configuration = WorkerConfiguration(
                file: folder.appending(path: "worker-\(number).yaml"),
                values: configuration(
                    number, profile, brokerURL: try servers.brokerURL, databaseURL: database.url, links, folder))
            try configuration.write()
            workers.append(
                WorkerProcess(
                    number: number, program: martlet, configuration: configuration,
                    logFile: folder.appending(path: "worker-\(number).log"), log: log))
        }
        return Site(
            profile: profile, folder: folder, servers: servers, database: database, simulator: simulator,
            credentials: credentials,
            fullQueue: FullQueue(names, broker: Broker(url: try servers.brokerURL)), links: allLinks, workers: workers,
            logger: logger)
    }

    /// Ends everything but the servers, which their owner stops.
    func stop() async {
        for worker in workers { try? await worker.kill() }
        for links in links.values { for link in links.values { link.stop() } }
        await simulator.stop()
        database.pool.close()
    }

    /// - Parameter client: its number: each begins with another node.
    func brokerConfiguration(client: Int = 0) throws -> AMQPConfiguration {
        try AMQPConfiguration(
            url: Self.url(try servers.brokerURL, ports: try servers.brokerPorts.rotated(by: client)))
    }

    /// What lies between a worker and one of its peers.
    func link(_ link: Fault.Link, _ worker: Int) -> WorkerLink { links[worker]?[link] ?? .none }

    /// Messages that wait in each of Martlet's queues and in that of the results.
    func waitingMessages() async throws -> [String: Int] {
        let queues = Self.names.topology(delays: profile.retryDelays).queues.map(\.name)
        return try await Broker(url: try servers.brokerURL).counts(queues + [ResultQueue.name(Self.names)])
    }

    /// The same with other ports of this machine in place of its only one.
    private static func url(_ url: String, ports: [UInt16]) -> String {
        url.replacing(/127\.0\.0\.1:[0-9]+/, with: ports.map { "127.0.0.1:\($0)" }.joined(separator: ","))
    }

    /// On a port below the kernel's range for outgoing connections, which could take it while the simulator is down.
    private static func startSimulator(_ logger: Logger) async throws -> APNSSimulator {
        for _ in 0..<100 {
            var configuration = SimulatorConfiguration()
            configuration.port = .random(in: 10_000..<20_000)
            configuration.controlPort = nil
            let simulator = try APNSSimulator(configuration: configuration, logger: logger)
            do {
                try await simulator.start()
                return simulator
            } catch {
                // Taken: another one.
            }
        }
        throw Failure(description: "no free port for the simulator")
    }

    private static func configuration(
        _ number: Int, _ profile: Profile, brokerURL: String, databaseURL: String, _ links: [Fault.Link: WorkerLink],
        _ folder: URL
    ) -> [String: String] {
        func through(_ link: Fault.Link, _ url: String) -> String { Self.url(url, ports: links[link]?.ports ?? []) }
        let endpoint = "127.0.0.1:\(links[.apns]?.ports.first ?? 0)"
        return [
            "amqp.url": through(.broker, brokerURL) + "?heartbeat=\(profile.heartbeatSeconds)",
            "amqp.prefix": names.prefix,
            "amqp.prefetch.urgent": "\(profile.prefetch[.urgent] ?? 1)",
            "amqp.prefetch.normal": "\(profile.prefetch[.normal] ?? 1)",
            "amqp.prefetch.bulk": "\(profile.prefetch[.bulk] ?? 1)",
            "database.url": through(.database, databaseURL),
            "keyring.file": folder.appending(path: "keyring").path,
            "apns.endpoint.production": endpoint, "apns.endpoint.sandbox": endpoint,
            "apns.ca_file": folder.appending(path: "ca.pem").path,
            "jobs.chunk_size": "100", "jobs.deduplication_window": "\(profile.deduplicationWindow)",
            "apns.request_timeout": "\(profile.requestTimeoutSeconds)",
            "http.listen": "", "worker.name": "worker-\(number)",
            "worker.maximum_in_flight": "\(profile.maximumInFlight)",
            "worker.drain_timeout": "\(profile.drainSeconds)",
            "retry.delays": profile.retryDelays.map(String.init).joined(separator: ","),
            "retry.maximum_attempts": "\(profile.maximumAttempts)",
        ]
    }
}

extension SightingRecord.What {
    fileprivate init(_ sighting: RequestSighting) {
        self =
            switch sighting {
            case .arrived: .arrived
            case .disowned: .disowned
            case .answered(let status): .answered(status)
            case .unanswered: .unanswered
            }
    }
}
