public import PushModel

/// An output and the double that it sends to. Rules that need what is left out are skipped.
public struct OutputSetup: Sendable {
    public let plugin: any OutputPlugin
    /// Ready to send, by the time of the wall clock. Nobody else may hold it.
    public let output: any Output
    /// What the double can be made to do, by what it then does. With any other ``ProviderBehaviour/accepts`` is needed,
    /// too.
    public var behaviours: [ProviderBehaviour: @Sendable () async throws -> Void]
    /// How often each recipient's push has come in whole at the double, whatever the answer.
    public var arrivals: (@Sendable () async -> [String: Int])?
    /// How many connections the double has.
    public var openConnections: (@Sendable () async -> Int)?
    /// Ends the double.
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
