/// A worker as its row in `martlet.workers` shows it.
public struct RunningWorker: Sendable {
    /// A UUID: of the process.
    public let id: String
    public let name: String
    public let version: String
    /// Those it has.
    public let outputs: [String]
    public let start: ContinuousClock.Instant

    public init(id: String, name: String, version: String, outputs: [String], start: ContinuousClock.Instant) {
        self.id = id
        self.name = name
        self.version = version
        self.outputs = outputs
        self.start = start
    }
}
