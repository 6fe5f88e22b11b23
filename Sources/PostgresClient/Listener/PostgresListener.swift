import EventNames
public import Logging
import Pacing

/// Listens to channels over a connection of its own, which it makes again whenever it is lost.
///
/// `run()` does the work, `events` tells of it. Notifications sent while there was no connection are lost:
/// on `.connected` and `.reconnected` read what they would have told.
public final class PostgresListener: Sendable {
    public enum Event: Sendable, Hashable {
        case notification(PostgresNotification)
        /// Listening for the first time.
        case connected
        /// Listening again after a loss.
        case reconnected
        /// Could not connect, or lost the connection; another attempt follows.
        case disconnected(PostgresError)
    }

    /// For one consumer; ends with `run()`. A consumer that is more than 1,024 events behind loses the oldest.
    public let events: AsyncStream<Event>

    private let channels: [String]
    private let configuration: PostgresConfiguration
    private let continuation: AsyncStream<Event>.Continuation
    private let keepAlive: Duration
    private let logger: Logger

    /// - Parameter keepAlive: how often a silent connection is tried with a query.
    public init(
        channels: [String], configuration: PostgresConfiguration, keepAlive: Duration = .seconds(15), logger: Logger
    ) {
        self.channels = channels
        self.configuration = configuration
        self.keepAlive = keepAlive
        self.logger = logger
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
    }

    /// Works until the task is cancelled.
    public func run() async {
        defer { continuation.finish() }
        var backoff = Backoff.reconnecting
        var wasConnected = false
        while !Task.isCancelled {
            let error: PostgresError
            do {
                let connection = try await listeningConnection()
                backoff.succeeded()
                continuation.yield(wasConnected ? .reconnected : .connected)
                logger.debug("Listening for notifications", metadata: ["channels": "\(channels)"])
                wasConnected = true
                error = await watch(connection)
            } catch let failure as PostgresError {
                error = failure
            } catch {
                break
            }
            if Task.isCancelled { break }
            let wait = backoff.failed(random: .random(in: 0...1))
            continuation.yield(.disconnected(error))
            logger.warning(
                .notListening, "Not listening for notifications", metadata: ["error": "\(error)", "retry": "\(wait)"])
            try? await Task.sleep(for: wait)
        }
    }

    private func listeningConnection() async throws -> PostgresConnection {
        let continuation = continuation
        let connection = try await PostgresConnection.connect(configuration) { notification in
            continuation.yield(.notification(notification))
        }
        let statements = channels.map { channel in
            PostgresStatement("LISTEN \"\(channel.split(separator: "\"").joined(separator: "\"\""))\"")
        }
        try await connection.batch(statements)
        return connection
    }

    /// Returns when the connection has ended, or the task was cancelled.
    private func watch(_ connection: PostgresConnection) async -> PostgresError {
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [keepAlive] in
                    // a query that gets no answer within the query timeout ends the connection
                    while (try? await Task.sleep(for: keepAlive)) != nil, connection.isOpen {
                        _ = try? await connection.query("SELECT 1")
                    }
                }
                let end = await connection.waitForEnd()
                group.cancelAll()
                return end
            }
        } onCancel: {
            connection.beginClosing()
        }
    }
}
