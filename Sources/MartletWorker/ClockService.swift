import Observability
import PostgresClient
import ServiceLifecycle
import Store

/// A service that compares this machine's clock with the database's clock once per minute.
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
