import Foundations
package import Logging
import MartletConfiguration
package import PostgresClient

/// A loop that repeats an attempt until the database is available. Its waits grow from one second to 30 seconds, and
/// are shortened at random.
package enum DatabaseWait {
    /// Repeats an attempt until it succeeds, and returns its result.
    ///
    /// - Parameters:
    ///   - random: returns a number from 0 to 1, for the jitter of the waits.
    ///   - sleep: waits for a time, or throws an error to end the loop.
    ///   - report: receives the error and the wait before the next attempt.
    /// - Throws: the error of an attempt if a retry can't help, or the error of `sleep`.
    package static func untilThere<Value>(
        random: () -> Double = { .random(in: 0...1) },
        sleep: (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        report: (PostgresError, Duration) -> Void, _ attempt: () async throws -> Value
    ) async throws -> Value {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(30))
        while true {
            do {
                return try await attempt()
            } catch let error as PostgresError where error.isRetriable {
                let wait = backoff.failed(random: random())
                report(error, wait)
                try await sleep(wait)
            }
        }
    }
}

extension PostgresError {
    /// Logs that the process waits for the database. A refused login is logged as an error, because only an operator
    /// can correct it. The process still retries, because the correction may come at any time.
    package func logWaiting(_ wait: Duration, _ logger: Logger) {
        let level: Logger.Level = isLoginRefused ? .error : .warning
        logger.log(
            level: level, .waitingForDatabase, "Waiting for the database",
            metadata: ["error": "\(self)", "retry": "\(wait)"])
    }
}
