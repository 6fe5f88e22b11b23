import Foundations
package import Logging

/// A listener for notifications that uses its own connection and reconnects whenever the connection is lost.
///
/// Call ``run()``, and consume ``events``. Notifications that are sent while there is no connection are lost. Consumers
/// must therefore read the current state after `.connected` and `.reconnected`.
package final class PostgresListener: Sendable {
    package enum Event: Sendable, Hashable {
        case notification(PostgresNotification)
        /// The listener has connected for the first time.
        case connected
        /// The listener has connected again after it lost the connection.
        case reconnected
        /// The listener could not connect, or lost the connection. Another attempt follows.
        case disconnected(PostgresError)
    }

    /// The events, for one consumer. The stream ends with `run()`. If a consumer is more than 1,024 events behind, it
    /// loses the oldest ones.
    package let events: AsyncStream<Event>

    private let channels: [String]
    private let configuration: PostgresConfiguration
    private let continuation: AsyncStream<Event>.Continuation
    private let keepAlive: Duration
    private let logger: Logger

    /// Creates a listener.
    ///
    /// - Parameter keepAlive: the interval of the queries that check whether the connection still works.
    package init(
        channels: [String], configuration: PostgresConfiguration, keepAlive: Duration = .seconds(15), logger: Logger
    ) {
        self.channels = channels
        self.configuration = configuration
        self.keepAlive = keepAlive
        self.logger = logger
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
    }

    /// Listens until the task is cancelled.
    package func run() async {
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
                .notListening, "Cannot listen for notifications; retrying",
                metadata: ["error": "\(error)", "retry": "\(wait)"])
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

    /// Checks a connection at intervals until it ends, and returns the reason. If the task is cancelled, the connection
    /// is closed.
    private func watch(_ connection: PostgresConnection) async -> PostgresError {
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [keepAlive] in
                    // If the query is not answered within the query timeout, the connection ends.
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
