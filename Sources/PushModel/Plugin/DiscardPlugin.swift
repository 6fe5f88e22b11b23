/// The plugin for ``DiscardOutput``, and the smallest plugin possible.
public struct DiscardPlugin: OutputPlugin {
    public let name = "discard"
    public let jobs = JobForm.any

    public init() {}

    public func make(_ context: OutputContext) -> any Output { DiscardOutput(now: context.clock) }
}
