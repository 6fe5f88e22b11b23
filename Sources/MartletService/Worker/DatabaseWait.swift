import EventNames
package import Logging
import Pacing
package import PostgresClient

/// Tries until the database is there, with waits that grow from one second to thirty.
package enum DatabaseWait {
    /// - Parameters:
    ///   - random: a number from 0 to 1, for the jitter of the waits.
    ///   - sleep: waits, and throws when it is time to stop.
    ///   - tell: why there is another attempt, and after how long.
    /// - Throws: what no other attempt would mend.
    package static func untilThere<Value>(
        random: () -> Double = { .random(in: 0...1) },
        sleep: (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        tell: (PostgresError, Duration) -> Void, _ attempt: () async throws -> Value
    ) async throws -> Value {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(30))
        while true {
            do {
                return try await attempt()
            } catch let error as PostgresError where error.isRetriable {
                let wait = backoff.failed(random: random())
                tell(error, wait)
                try await sleep(wait)
            }
        }
    }
}

extension PostgresError {
    /// What nothing but somebody's hand mends is told as an error; it may be mended any time, so it is tried again all the same.
    package func tellWaiting(_ wait: Duration, _ logger: Logger) {
        let level: Logger.Level = isLoginRefused ? .error : .warning
        logger.log(
            level: level, .waitingForDatabase, "Waiting for the database",
            metadata: ["error": "\(self)", "retry": "\(wait)"])
    }
}
