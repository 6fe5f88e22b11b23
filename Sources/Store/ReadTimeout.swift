import PostgresClient

/// The timeout for reading a large result. After a successful read, the timeout becomes twice the duration of the read.
/// After a timeout, it doubles, within bounds. A slow read therefore succeeds in the end, and a hanging read is
/// noticed. A value type without clock or I/O.
package struct ReadTimeout: Sendable {
    /// The upper bound of the timeout, ten minutes.
    package static let longest = Duration.seconds(600)

    private let shortest: Duration
    /// The timeout for the next read.
    package private(set) var timeout: Duration

    /// Creates the timeout for the first read.
    ///
    /// - Parameters:
    ///   - shortest: the lower bound of the timeout after a successful read.
    ///   - first: the timeout for the first read, or `nil` for `shortest`.
    package init(shortest: Duration = .seconds(30), first: Duration? = nil) {
        self.shortest = shortest
        timeout = first ?? shortest
    }

    package mutating func succeeded(after duration: Duration) {
        timeout = min(max(shortest, duration * 2), Self.longest)
    }

    package mutating func failed(_ error: any Error) {
        guard (error as? PostgresError)?.isTimeout == true else { return }
        timeout = min(timeout * 2, Self.longest)
    }
}
