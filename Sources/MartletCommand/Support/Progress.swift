/// The progress of a long command, printed on standard error every few seconds.
struct Progress {
    private static let interval = Duration.seconds(5)

    private let start = ContinuousClock.now
    private var last = ContinuousClock.now

    /// Prints a line if the last one was printed at least five seconds ago.
    /// - Parameter text: returns the line. It receives the time since the start, in seconds.
    mutating func tell(_ text: (Double) -> String) {
        let now = ContinuousClock.now
        guard now - last >= Self.interval else { return }
        last = now
        printError(text((now - start) / .seconds(1)))
    }
}
