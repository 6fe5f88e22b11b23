/// All that the rest of the house knows of an output: one of these in the list of plugins makes it known to the worker,
/// to the configuration, to every command and to the documentation's tests. docs/output.md shows how to write one.
///
/// A simple output says its ``name`` and how it is made; for all else there is a default.
public protocol OutputPlugin: Sendable {
    /// What a job's `output` field calls it, the first word of its events' routing keys and of its settings.
    var name: String { get }

    /// What people call the provider that it delivers to.
    var title: String { get }

    /// Its part of the configuration; none by default.
    var settings: [OutputSetting] { get }

    /// What a recipient is, and which form of it counts; any text, as it is, by default.
    var recipients: RecipientForm { get }

    /// What a job of its may say; tokens and an object as payload by default.
    var jobs: JobForm { get }

    /// The payload of a push that shows a text, as JSON, for trying a credential; `{"text": …}` by default.
    func payload(showing text: String) -> [UInt8]

    /// What its ids are called in events; `<name>_id` by default.
    var eventFields: EventFields { get }

    /// What the provider says and what becomes of a push then, by the provider's own name for it. A reason that is not here
    /// is sorted by whatever else the answer says.
    var reasons: [String: Outcome.Verdict] { get }

    /// What it knows of credentials; nil, the default: it needs none.
    var credentials: (any OutputCredentials)? { get }

    /// The provider has no sandbox beside ``PushEnvironment/production``: whatever a job, an app or a line of tokens says,
    /// that is where its recipients are. True by default.
    var hasOneWorld: Bool { get }

    /// Whether the output sends to servers that belong to Martlet's users and not to a provider. False by default.
    var sendsToReceivers: Bool { get }

    /// What the waits between a push's attempts may add up to, in seconds, where the provider asks to give up then; nil, the
    /// default: as the configuration says.
    var retriesForSeconds: Int? { get }

    /// Reads the settings and finds fault with them; nothing by default.
    ///
    /// - Throws: ``SettingFault``.
    func check(_ settings: OutputSettings) throws

    /// The output at work. Called once in a process, before the first job.
    ///
    /// - Throws: ``SettingFault``, or what else keeps it from working; then the worker does not start.
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
    public var retriesForSeconds: Int? { nil }
    public func check(_ settings: OutputSettings) throws {}

    public func payload(showing text: String) -> [UInt8] {
        var payload = JSONObjectWriter(capacity: 256)
        payload.member("text", string: text)
        return payload.finish()
    }
}

extension OutputPlugin {
    /// Which of the provider's worlds a job goes to.
    ///
    /// - Parameter app: where the app's jobs go that do not say.
    package func environment(of job: Job, app: PushEnvironment) -> PushEnvironment {
        hasOneWorld ? .production : job.environment ?? app
    }
}
