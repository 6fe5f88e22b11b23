/// The plugin of ``DiscardOutput``: the least there can be.
public struct DiscardPlugin: OutputPlugin {
    public let name = "discard"
    public let jobs = JobForm.any

    public init() {}

    public func make(_ context: OutputContext) -> any Output { DiscardOutput(now: context.clock) }
}
