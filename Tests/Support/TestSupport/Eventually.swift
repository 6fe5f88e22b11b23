import Foundation

/// Something did not come about in time; the text says how things stood.
package struct TimedOut: Error, CustomStringConvertible {
    package let description: String
}

/// How much longer than elsewhere a test waits: under a sanitizer all that it waits for is slower.
private let patience = ProcessInfo.processInfo.environment["MARTLET_TEST_PATIENCE"].flatMap(Int.init) ?? 1

/// Waits for something that others will bring about.
///
/// - Parameter what: read when time is up, so that it can show how far things have come.
/// - Throws: ``TimedOut``; what `condition` throws.
package func eventually(
    _ what: @autoclosure () async -> String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let limit = limit * patience
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw TimedOut(description: "not within \(limit): \(await what())")
        }
        try await Task.sleep(for: .milliseconds(10))
    }
}
