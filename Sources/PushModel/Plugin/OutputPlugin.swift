/// The description of an output for the rest of Martlet. An entry in the list of plugins makes the output available to
/// the worker, the configuration, every command and the tests of the documentation. docs/output.md shows how to write a
/// plugin.
///
/// A simple output provides its ``name`` and ``make(_:)``. Everything else has a default.
public protocol OutputPlugin: Sendable {
    /// The name of the output in a job's `output` field. The routing keys of its result events and the names of its
    /// settings start with it.
    var name: String { get }

    /// The name of the provider, for display.
    var title: String { get }

    /// The output's settings. The default is an empty list.
    var settings: [OutputSetting] { get }

    /// The form of recipients' addresses, which also determines when two addresses are equal. By default, an address is
    /// any string and stays unchanged.
    var recipients: RecipientForm { get }

    /// The parts of a job that the output accepts. By default, addresses are tokens and the payload is an object.
    var jobs: JobForm { get }

    /// Returns a JSON payload that shows a text, for `martlet push --alert`. The default is `{"text": …}`.
    func payload(showing text: String) -> [UInt8]

    /// The names of the output's ids in result events. The default is `<name>_id`.
    var eventFields: EventFields { get }

    /// The verdict for each reason that the provider or this output gives. In metrics, a reason that is missing here
    /// counts as `other`, unless it is common to all outputs. If Martlet gives up a held push, the push fails with
    /// `RetriesExhausted` if its reason has the verdict `retry` here. The default is empty.
    var reasons: [String: Outcome.Verdict] { get }

    /// The credential rules, or `nil` (the default) if the output needs no credentials.
    var credentials: (any OutputCredentials)? { get }

    /// Whether the provider has only the environment ``PushEnvironment/production`` and no sandbox. All recipients are
    /// then in production, even if a job, an app or an imported token names another environment. The default is `true`.
    var hasOneWorld: Bool { get }

    /// Whether the output sends to servers that belong to Martlet's users and not to a provider. The default is
    /// `false`.
    var sendsToReceivers: Bool { get }

    /// Whether all pushes go to hosts of the provider that no job or credential names. If `true`, the broker prefers
    /// other workers while a worker cannot connect to these hosts. The default is `false`.
    var hasFixedHosts: Bool { get }

    /// The maximum sum of the delays between a push's attempts, in seconds, if the provider asks senders to give up
    /// after this time. The limits of the configuration apply as well. The default is `nil`.
    var retriesForSeconds: Int? { get }

    /// Checks the settings. The default implementation accepts all settings.
    ///
    /// - Throws: ``SettingFault`` if a setting is invalid.
    func check(_ settings: OutputSettings) throws

    /// Creates the running output. A process calls this method once, before the first job.
    ///
    /// - Throws: ``SettingFault``, or another error that prevents the output from working. The worker then does not
    ///   start.
    func make(_ context: OutputContext) throws -> any Output
}

extension OutputPlugin {
    public var title: String { name }
    public var settings: [OutputSetting] { [] }
    public var recipients: RecipientForm { .text }
    public var jobs: JobForm { JobForm() }
    public var eventFields: EventFields { EventFields(id: name + "_id") }
    public var reasons: [String: Outcome.Verdict] { [:] }
    public var credentials: (any OutputCredentials)? { nil }
    public var hasOneWorld: Bool { true }
    public var sendsToReceivers: Bool { false }
    public var hasFixedHosts: Bool { false }
    public var retriesForSeconds: Int? { nil }
    public func check(_ settings: OutputSettings) throws {}

    public func payload(showing text: String) -> [UInt8] {
        var payload = JSONObjectWriter(capacity: 256)
        payload.member("text", string: text)
        return payload.finish()
    }
}

extension OutputPlugin {
    /// Returns the environment to which a job is sent.
    ///
    /// - Parameter app: the app's environment, which applies to jobs without one.
    package func environment(of job: Job, app: PushEnvironment) -> PushEnvironment {
        hasOneWorld ? .production : job.environment ?? app
    }
}
