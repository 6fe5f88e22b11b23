/// A running worker's description of itself for its row of `martlet.workers`.
package struct RunningWorker: Sendable {
    /// The UUID of the worker's process.
    package let id: String
    package let name: String
    package let version: String
    /// The names of the worker's outputs.
    package let outputs: [String]
    package let start: ContinuousClock.Instant

    package init(id: String, name: String, version: String, outputs: [String], start: ContinuousClock.Instant) {
        self.id = id
        self.name = name
        self.version = version
        self.outputs = outputs
        self.start = start
    }
}
