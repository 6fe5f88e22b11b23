/// An output at work, with what is known of it.
public final class RunningOutput: Sendable {
    public let plugin: any OutputPlugin
    public let output: any Output
    package let name: String
    package let traits: OutputTraits
    /// Those of the plugin.
    package let jobs: JobForm
    /// As above.
    package let credentials: (any OutputCredentials)?

    public init(_ plugin: some OutputPlugin, _ output: any Output) {
        self.plugin = plugin
        self.output = output
        name = plugin.name
        traits = OutputTraits(plugin)
        jobs = plugin.jobs
        credentials = plugin.credentials
    }
}
