/// What the author of an output gives: how one is made that sends to a double of its service, and what its jobs look
/// like.
public struct OutputHarness: Sendable {
    /// The output's name.
    public let name: String
    public var samples: OutputSamples
    /// Makes an output and a double that nobody else uses. Called for each rule.
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
