import Foundation

/// An error about a condition that was not met in time. Its text describes the state at that time.
package struct TimedOut: Error, CustomStringConvertible {
    package let description: String
}

/// The factor by which the deadlines of tests are extended, because a sanitizer slows down everything that a test waits
/// for.
package let deadlineFactor = ProcessInfo.processInfo.environment["MARTLET_TEST_PATIENCE"].flatMap(Int.init) ?? 1

/// Runs `body` until a run takes no longer than `limit`, and returns the result of that run.
///
/// Use this function for results that depend on the time that passes within `body`, such as the age of a row.
package func undisturbed<Value>(within limit: Duration, _ body: () async throws -> Value) async throws -> Value {
    while true {
        let start = ContinuousClock.now
        let value = try await body()
        if ContinuousClock.now - start <= limit { return value }
    }
}

/// Waits until a condition holds. Checks it at growing intervals of up to 200 ms, because many conditions start
/// processes.
///
/// - Parameter what: a description of the condition. It is evaluated after the time limit, so that it can show the
///   state then.
/// - Throws: ``TimedOut``, or an error of `condition`.
package func eventually(
    _ what: @autoclosure () async -> String, within limit: Duration = .seconds(300),
    _ condition: () async throws -> Bool
) async throws {
    let limit = limit * deadlineFactor
    let deadline = ContinuousClock.now + limit
    var interval = Duration.milliseconds(10)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw TimedOut(description: "condition not met within \(limit): \(await what())")
        }
        try await Task.sleep(for: interval)
        interval = min(interval * 1.5, .milliseconds(200))
    }
}
