public import PushModel

/// An output and the double that it sends to. Rules that need an omitted part are skipped.
public struct OutputSetup: Sendable {
    public let plugin: any OutputPlugin
    /// The output, ready to send, using the wall clock. The suite must hold the only reference.
    public let output: any Output
    /// The behaviors that the double can adopt, with the call that activates each. ``ProviderBehaviour/accepts`` is
    /// required in addition to any other.
    public var behaviours: [ProviderBehaviour: @Sendable () async throws -> Void]
    /// Returns the number of complete pushes for each recipient at the double, regardless of the answer.
    public var arrivals: (@Sendable () async -> [String: Int])?
    /// Returns the number of connections that the double has.
    public var openConnections: (@Sendable () async -> Int)?
    /// Stops the double.
    public var stop: @Sendable () async -> Void

    public init(
        plugin: any OutputPlugin, output: any Output,
        behaviours: [ProviderBehaviour: @Sendable () async throws -> Void] = [:],
        arrivals: (@Sendable () async -> [String: Int])? = nil, openConnections: (@Sendable () async -> Int)? = nil,
        stop: @escaping @Sendable () async -> Void = {}
    ) {
        self.plugin = plugin
        self.output = output
        self.behaviours = behaviours
        self.arrivals = arrivals
        self.openConnections = openConnections
        self.stop = stop
    }
}
