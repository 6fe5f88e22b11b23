/// The description of an output for the suite, written by the output's author. It contains sample data for jobs. It
/// creates outputs that send to a double of the service.
public struct OutputHarness: Sendable {
    /// The name of the output's plugin.
    public let name: String
    public var samples: OutputSamples
    /// A closure that creates an output and a double for one rule. Nothing else may use them.
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
