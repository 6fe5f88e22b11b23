import Foundations
import APNSOutput
import APNSSimulator
import Logging
import NIOPosix
import PostgresClient
import PushModel
import PushTestSupport
import Store
import TestSupport
import WorkerTestSupport

/// A clock that the test advances, in milliseconds since 1970.
final class SimulatedClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_795_168_800_000)

    var now: Int64 { milliseconds.withLock { $0 } }
    func advance(_ step: Int64) { milliseconds.withLock { $0 += step } }
}

/// The token store of all workers of a fleet. It forwards requests to the database unless an outage is simulated, and
/// records when tokens are signed.
struct WatchedTokenStore: SharedTokenStore {
    final class Log: Sendable {
        private let times = Mutex<[Int64]>([])
        private let isAway = Mutex(false)
        private let questions = Mutex(0)

        /// Whether a request to the store is open. The clock must not advance during a request, because a request of
        /// some milliseconds would then appear to take half a minute.
        var isAsking: Bool { questions.withLock { $0 > 0 } }
        func asked() { questions.withLock { $0 += 1 } }
        func answered() { questions.withLock { $0 -= 1 } }

        /// The times at which tokens were signed, in milliseconds since 1970.
        var made: [Int64] { times.withLock { $0 } }
        var isStoreAway: Bool {
            get { isAway.withLock { $0 } }
            set { isAway.withLock { $0 = newValue } }
        }
        func note(_ issuedAt: Timestamp) { times.withLock { $0.append(issuedAt.milliseconds) } }
    }

    let store: any SharedTokenStore
    let log: Log

    func token(
        of credential: Credential.ID, youngerThan age: Int64, sign: @Sendable (Timestamp) throws -> Secret
    ) async throws -> SharedToken {
        log.asked()
        defer { log.answered() }
        if log.isStoreAway { throw PostgresError(.connectFailed, "the test simulates a database outage") }
        return try await store.token(of: credential, youngerThan: age) { issuedAt in
            log.note(issuedAt)
            return try sign(issuedAt)
        }
    }
}

/// A worker of the fleet, from start to stop: an APNs output with its own database pool and its own clocks.
struct FleetWorker {
    private let output: APNSSender
    private let database: PostgresPool

    /// Starts a worker.
    ///
    /// - Parameters:
    ///   - skew: the difference between the worker's wall clock and the true time, in milliseconds.
    ///   - started: the time on the simulated clock at which the worker's token clock is 0, in milliseconds.
    init(
        _ installation: Installation, clock: SimulatedClock, log: WatchedTokenStore.Log, skew: Int64, started: Int64
    ) {
        let logger = installation.log.logger("fleet")
        var options = PostgresPool.Options()
        options.maximumConnections = 1
        database = PostgresPool(installation.database.configuration, options: options, logger: logger)
        let endpoint = Endpoint(host: "127.0.0.1", port: installation.simulator.port)
        let tokens = SharedTokenRepository(
            database, keyring: installation.keyring, now: { Timestamp(milliseconds: clock.now) })
        output = APNSSender(
            configuration: APNSConfiguration(
                production: endpoint, sandbox: endpoint, authorityFile: installation.path("ca.pem"),
                connectTimeoutSeconds: 30),
            tokens: WatchedTokenStore(store: tokens, log: log), eventLoops: MultiThreadedEventLoopGroup.singleton,
            logger: logger, clock: { Timestamp(milliseconds: clock.now + skew) },
            tokenClock: { clock.now - started })
    }

    func send(_ job: RoutedJob, reportingTo recorder: OutcomeRecorder) {
        output.send(job, reportingTo: recorder)
    }

    func stop() async {
        await output.shutDown()
        database.close()
    }
}
