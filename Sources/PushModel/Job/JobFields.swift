/// What a publisher has said of a job. A new field is added here and in `JobField`.
public struct JobFields: Sendable {
    public package(set) var id = ""
    /// The publisher has given the id, in the job or as the message's; otherwise it was made up, and another delivery of
    /// the message gets another.
    public package(set) var hasGivenID = false
    /// Bundle id of the app, which selects its row, hence the credential and the default topic.
    public package(set) var app = ""
    /// Name of the output that delivers it.
    public package(set) var output = Job.defaultOutput
    /// nil: the app row's.
    public package(set) var environment: PushEnvironment?
    /// Id of a credential that goes before what routing would choose; nil: routing chooses.
    public package(set) var credential: Credential.ID?
    public package(set) var recipients: [Recipient] = []
    /// How its recipients are addressed.
    package var addresses: AddressKinds = []
    /// The one recipient is a channel, not a device.
    public var isBroadcast: Bool { addresses.contains(AddressKinds(.channel)) }
    /// Where among the job's bytes the payload is: a JSON object, or for some outputs a JSON string.
    public package(set) var payload = 0..<0
    /// Its payload, or one of a recipient's, is a string.
    package var hasTextPayload = false
    /// The provider is to check the push, and to deliver nothing.
    public package(set) var validateOnly = false
    public package(set) var pushType: String?
    public package(set) var topic: String?
    public package(set) var priority: Int?
    /// nil: the provider's own storage rule applies.
    public package(set) var expiration: Job.Expiration?
    public package(set) var collapseID: String?
    /// Nothing is sent before; nil: at once.
    public package(set) var sendAt: Timestamp?
    /// Most pushes of it in a second, of all workers together; nil: as the app's.
    public package(set) var rate: Int?
    /// A push that may have been accepted is never sent again.
    public package(set) var atMostOnce = false
    /// An alert body too long for the payload limit is cut rather than refused.
    public package(set) var trim = false
    public package(set) var results = Job.ResultScope.all

    package init() {}
}
