/// A running worker's description of itself for its row of `martlet.workers`.
public struct RunningWorker: Sendable {
    /// The UUID of the worker's process.
    public let id: String
    public let name: String
    public let version: String
    /// The names of the worker's outputs.
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
