public import PushModel

/// An output and the double to which it sends. A rule that requires an omitted part is skipped.
public struct OutputSetup: Sendable {
    public let plugin: any OutputPlugin
    /// The output. It is ready to send and uses the wall clock. The suite must hold the only reference to it.
    public let output: any Output
    /// Closures that activate the behaviours of the double. If there are any, one for ``ProviderBehaviour/accepts`` is
    /// required.
    public var behaviours: [ProviderBehaviour: @Sendable () async throws -> Void]
    /// A closure that returns the number of complete pushes that the double received for each recipient, regardless of
    /// its answers. It is `nil` if the double does not count pushes.
    public var arrivals: (@Sendable () async -> [String: Int])?
    /// A closure that returns the number of open connections at the double. It is `nil` if the double does not count
    /// connections.
    public var openConnections: (@Sendable () async -> Int)?
    /// A closure that stops the double.
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
