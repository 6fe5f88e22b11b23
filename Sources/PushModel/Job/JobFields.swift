/// The fields of a job as the publisher set them. A new field is added here and in `JobField`.
public struct JobFields: Sendable {
    public package(set) var id = ""
    /// Whether the publisher gave the id, in the body or in the message's `message_id`. Otherwise the worker generated
    /// it, and another delivery of the same message gets a different id.
    public package(set) var hasGivenID = false
    /// The bundle id of the app. It selects the app's row in PostgreSQL, which determines the account. Some outputs
    /// also derive a default from it, such as a topic.
    public package(set) var app = ""
    /// The name of the output that delivers the job.
    public package(set) var output = Job.defaultOutput
    /// The provider's environment, or `nil` to use the environment in the app's row.
    public package(set) var environment: PushEnvironment?
    /// The id of the credential to use, or `nil` to let routing choose a credential.
    public package(set) var credential: Credential.ID?
    public package(set) var recipients: [Recipient] = []
    /// The kinds of the recipients' addresses.
    package var addresses: AddressKinds = []
    /// Whether the job is a broadcast. Its only recipient is then a channel.
    public var isBroadcast: Bool { addresses.contains(AddressKinds(.channel)) }
    /// The range of the payload in the job's bytes. The payload is a JSON object or, for some outputs, a JSON string.
    public package(set) var payload = 0..<0
    /// Whether the job's payload or a recipient's own payload is a JSON string.
    package var hasTextPayload = false
    /// Whether the provider only validates the push and delivers nothing.
    public package(set) var validateOnly = false
    public package(set) var pushType: String?
    public package(set) var topic: String?
    public package(set) var priority: Int?
    /// The deadline, or `nil` if the job has none. The default of the output or the provider then limits the storage.
    public package(set) var expiration: Job.Expiration?
    public package(set) var collapseID: String?
    /// The time before which nothing is sent, or `nil` to send at once.
    public package(set) var sendAt: Timestamp?
    /// The maximum rate of the job in pushes per second, for all workers together, or `nil` if only the app's rate
    /// applies. If both rates are set, the lower one applies.
    public package(set) var rate: Int?
    /// Whether a push that may have been accepted is never sent again.
    public package(set) var atMostOnce = false
    /// Whether the alert's body is shortened if the payload exceeds the provider's limit. Otherwise such a push is
    /// rejected.
    public package(set) var trim = false
    public package(set) var results = Job.ResultScope.all

    package init() {}
}
