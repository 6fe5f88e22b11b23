import PostgresClient
import ServiceLifecycle
import Store

/// Looks once a minute how far this machine's clock is off the database's.
struct ClockService: Service {
    private static let interval = Duration.seconds(60)

    let pool: PostgresPool
    let state: WorkerState

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                if let ahead = try? await DatabaseClock.ahead(pool) { state.clockIs(ahead: ahead) }
            } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }
}
