/// Says every few seconds on standard error how far a long command has come.
struct Progress {
    private static let interval = Duration.seconds(5)

    private let start = ContinuousClock.now
    private var last = ContinuousClock.now

    /// - Parameter text: is given how many seconds it has taken so far.
    mutating func tell(_ text: (Double) -> String) {
        let now = ContinuousClock.now
        guard now - last >= Self.interval else { return }
        last = now
        printError(text((now - start) / .seconds(1)))
    }
}
