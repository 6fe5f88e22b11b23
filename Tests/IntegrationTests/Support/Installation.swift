import AMQPClient
import APNSSimulator
import Contract
import Crypto
import DeliveryPipeline
import Foundation
import Logging
import PostgresClient
import PushModel
import Store
import TestSupport
import Testing
import WorkerTestSupport

/// The environment of a worker, separate for each test: a database, names in the broker, an APNs simulator, a master
/// key and a consumer of the results. It is removed after the test.
struct Installation: Sendable {
    struct Servers: Sendable {
        /// The URL of a broker user with the permissions that docs/brokers.md gives a worker.
        let broker: String
        let database: String

        /// The servers that `make test` provides.
        static let shared: Servers? = {
            guard let broker = TestServers.workerBroker, let database = TestServers.database else { return nil }
            return Servers(broker: broker, database: database)
        }()
    }

    /// A retry policy with delays that are short enough for tests.
    static let quickRetry = RetryPolicy(delays: [1, 2], maximumAttempts: 20)

    let servers: Servers
    let names = PipelineNames(prefix: "martlet.test-\(UInt32.random(in: 0 ... .max))")
    let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-test-\(UUID().uuidString)")
    let database: TestDatabase
    let simulator: SimulatedAPNS
    let keyring: MasterKeyring
    private let keyringText: String
    let results = ResultCollector()
    let log = LogRecorder()

    /// Runs `body` with a new installation, and removes the installation afterwards.
    static func with(
        servers: Servers? = nil, keyring keyringText: String = keyringText,
        simulator change: (inout SimulatorConfiguration) -> Void = { _ in },
        _ body: (Installation) async throws -> Void
    ) async throws {
        let servers = try #require(servers ?? .shared)
        await InstallationLimiter.shared.enter()
        defer { InstallationLimiter.shared.leave() }
        var configuration = SimulatorConfiguration()
        change(&configuration)
        let installation = try Installation(
            servers: servers, database: try await TestDatabase.create(on: servers.database),
            simulator: try SimulatedAPNS(configuration: configuration),
            keyringText: keyringText)
        do {
            try await installation.setUp()
            try await body(installation)
            let problems = try await installation.results.schemaProblems()
            #expect(problems.isEmpty, "all events conform to docs/schema/event.schema.json")
        } catch {
            Issue.record(error, "\(installation.log.text)")
        }
        try await installation.tearDown()
    }

    private init(servers: Servers, database: TestDatabase, simulator: SimulatedAPNS, keyringText: String) throws {
        self.servers = servers
        self.database = database
        self.simulator = simulator
        self.keyringText = keyringText
        keyring = try MasterKeyring(text: keyringText, source: "test")
    }

    private func setUp() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(try simulator.caCertificatePEM, to: "ca.pem")
        try write(keyringText, to: "keyring")
        simulator.isRecording = true
        try await simulator.start()
        try await results.start(names, broker: try brokerConfiguration(), logger: log.logger("collector"))
    }

    private func tearDown() async throws {
        await results.stop()
        await simulator.stop()
        let topology = names.topology(delays: RetryPolicy().delays + Self.quickRetry.delays)
        try await broker.delete(
            queues: topology.queues.map(\.name) + [ResultQueue.name(names)],
            exchanges: topology.exchanges.map(\.name))
        try await database.drop()
        try FileManager.default.removeItem(at: folder)
    }

    /// The default keyring, with one key. Tests search for its id in error messages.
    static let keyringText = "master-1 \(String(repeating: "A", count: 43))=\n"

    var broker: Broker { Broker(url: servers.broker) }

    func brokerConfiguration() throws -> AMQPConfiguration { try AMQPConfiguration(url: servers.broker) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Writes a file that only its owner can read, as a keyring must be, and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let path = path(name)
        _ = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        return path
    }

    /// Publishes jobs and waits until the broker has them.
    func publish(_ jobs: [JobText], lane: Lane = .normal) async throws {
        try await publish(raw: jobs.map(\.json), lane: lane)
    }

    /// Publishes jobs.
    ///
    /// - Parameter key: the routing key, or `nil` for the lane's.
    func publish(
        raw bodies: [String], lane: Lane = .normal, key: String? = nil, headers: AMQPFieldTable = [:]
    ) async throws {
        let publisher = try AMQPPublisher(
            configuration: try brokerConfiguration(), topology: names.topology(delays: []),
            logger: log.logger("publisher"))
        try await publisher.connectOnce()
        try await publisher.publishAndWait(
            bodies.enumerated().map { index, body in
                AMQPPublication(
                    id: UInt64(index), exchange: names.jobs, routingKey: key ?? lane.rawValue, isMandatory: true,
                    properties: AMQPProperties(contentType: "application/json", headers: headers),
                    body: Array(body.utf8))
            })
        await publisher.close()
    }

    /// Returns the number of messages in each queue of the topology with these delays. Empty queues are omitted.
    func waitingMessages(delays: [Int] = quickRetry.delays) async throws -> [String: Int] {
        try await broker.counts(names.topology(delays: delays).queues.map(\.name)).filter { $0.value > 0 }
    }

    /// Returns the tokens of an app that are marked dead.
    func markedTokens(of app: String) async throws -> Set<String> {
        Set(
            try await database.pool.query(
                "SELECT token FROM martlet.dead_tokens WHERE app = $1", [.text(app)]
            ).map { try $0["token"].text })
    }
}
