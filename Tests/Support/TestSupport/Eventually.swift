import Foundation

/// Something did not come about in time; the text says how things stood.
package struct TimedOut: Error, CustomStringConvertible {
    package let description: String
}

/// The factor by which deadlines of tests are longer than usual: a sanitizer slows down everything that a test waits for.
package let deadlineFactor = ProcessInfo.processInfo.environment["MARTLET_TEST_PATIENCE"].flatMap(Int.init) ?? 1

/// Returns what `body` returns, from the first run that took no longer than `limit`.
///
/// For answers that depend on how much time passes within `body`, such as the age of a row.
package func undisturbed<Value>(within limit: Duration, _ body: () async throws -> Value) async throws -> Value {
    while true {
        let start = ContinuousClock.now
        let value = try await body()
        if ContinuousClock.now - start <= limit { return value }
    }
}

/// Waits for something that others will bring about.
///
/// - Parameter what: read when time is up, so that it can show how far things have come.
/// - Throws: ``TimedOut``; what `condition` throws.
package func eventually(
    _ what: @autoclosure () async -> String, within limit: Duration = .seconds(180),
    _ condition: () async throws -> Bool
) async throws {
    let limit = limit * deadlineFactor
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw TimedOut(description: "not within \(limit): \(await what())")
        }
        try await Task.sleep(for: .milliseconds(10))
    }
}
