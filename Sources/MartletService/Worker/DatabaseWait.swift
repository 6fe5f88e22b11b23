package import PostgresClient

/// Tries until the database is there, with waits that grow from one second to thirty.
package enum DatabaseWait {
    /// - Parameters:
    ///   - chance: a random number from 0 to 1, by which waits are shortened.
    ///   - sleep: waits, and throws when it is time to stop.
    ///   - tell: why there is another attempt, and after how long.
    /// - Throws: what no other attempt would mend.
    package static func untilThere<Value>(
        chance: () -> Double = { .random(in: 0...1) },
        sleep: (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        tell: (PostgresError, Duration) -> Void, _ attempt: () async throws -> Value
    ) async throws -> Value {
        var delay = ReconnectDelay(first: .seconds(1), longest: .seconds(30))
        while true {
            do {
                return try await attempt()
            } catch let error as PostgresError where error.isRetriable {
                let wait = delay.failed(chance: chance())
                tell(error, wait)
                try await sleep(wait)
            }
        }
    }
}
