import CommandSupport

/// A printer of progress lines for a long command. It prints to standard error at most every five seconds.
struct Progress {
    private static let interval = Duration.seconds(5)

    private let start = ContinuousClock.now
    private var last = ContinuousClock.now

    /// Prints a progress line if at least five seconds have passed since the last line or, at first, since the start.
    ///
    /// - Parameter text: returns the line. Its argument is the time since the start, in seconds.
    mutating func report(_ text: (Double) -> String) {
        let now = ContinuousClock.now
        guard now - last >= Self.interval else { return }
        last = now
        printError(text((now - start) / .seconds(1)))
    }
}
