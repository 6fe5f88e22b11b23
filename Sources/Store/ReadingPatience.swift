import PostgresClient

/// How long it may take to read all there is: twice as long as the last time, and twice as long as allowed where that was
/// too little; within bounds. So what takes long succeeds in the end, and what hangs is noticed. A value: no clock, no I/O.
public struct ReadingPatience: Sendable {
    /// Ten minutes.
    public static let longest = Duration.seconds(600)

    private let shortest: Duration
    /// For the next time.
    public private(set) var timeout: Duration

    /// - Parameter first: for the first time; nil: as little as ever.
    public init(shortest: Duration = .seconds(30), first: Duration? = nil) {
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
