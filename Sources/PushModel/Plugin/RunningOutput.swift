/// A running output with its plugin.
public final class RunningOutput: Sendable {
    public let plugin: any OutputPlugin
    public let output: any Output
    package let name: String
    package let traits: OutputTraits
    /// The plugin's ``OutputPlugin/jobs``, read once.
    package let jobs: JobForm
    /// The plugin's ``OutputPlugin/credentials``, read once.
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
