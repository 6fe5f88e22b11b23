/// The description of an output, provided by its author. It contains sample data for jobs, and creates outputs that
/// send to a double of the service.
public struct OutputHarness: Sendable {
    /// The output's name.
    public let name: String
    public var samples: OutputSamples
    /// Creates an output and a double for exclusive use. Called for each rule.
    public var make: @Sendable () async throws -> OutputSetup

    public init(
        _ name: String, samples: OutputSamples = OutputSamples(),
        make: @escaping @Sendable () async throws -> OutputSetup
    ) {
        self.name = name
        self.samples = samples
        self.make = make
    }
}
