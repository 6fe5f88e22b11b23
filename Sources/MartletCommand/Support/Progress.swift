import CommandSupport

/// A printer of progress lines for a long command. It prints to standard error at most every five seconds.
struct Progress {
    private static let interval = Duration.seconds(5)

    private let start = ContinuousClock.now
    private var last = ContinuousClock.now

    /// Prints a progress line, unless the last one was printed less than five seconds ago.
    ///
    /// - Parameter text: returns the line. Its argument is the time since the start, in seconds.
    mutating func report(_ text: (Double) -> String) {
        let now = ContinuousClock.now
        guard now - last >= Self.interval else { return }
        last = now
        printError(text((now - start) / .seconds(1)))
    }
}
