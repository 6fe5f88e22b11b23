public import PushModel

/// Sample data for the jobs of an output.
public struct OutputSamples: Sendable {
    /// The `app` of a job.
    public var app: String
    /// The `payload` of a job, as the text of a JSON object.
    public var payload: String
    /// Other fields of a job. The values are JSON text, as in `["push_type": "\"alert\""]`.
    public var fields: [String: String]
    /// A closure that returns a recipient that the double accepts. Each number, starting with 0, gives a different
    /// recipient.
    public var recipient: @Sendable (Int) -> String
    /// A closure that returns a recipient's address in a job, such as `"subscription":{…}`, or `nil` to address
    /// recipients as tokens.
    public var address: (@Sendable (String) -> String)?
    /// Recipients that the double permanently refuses.
    public var refused: [String]
    /// Recipients that the double reports as dead.
    public var dead: [String]
    /// Recipients that the double refuses with an ambiguous answer, such as a 403 or 404 without a reason. The cause
    /// may be the recipient alone or the credential.
    public var doubtful: [String]
    /// Recipients for which the double states that it refuses the credential, although it accepts the credential for
    /// other recipients.
    public var credentialRefused: [String]
    /// Credentials that the double accepts. The rules for retired credentials require at least two.
    public var credentials: [Credential]
    public var environment: PushEnvironment
    /// A number of recipients that exceeds what the output can have on the wire at once, for example three times as
    /// many. It is 0 if the output has no such limit.
    public var crowd: Int

    public init(
        app: String = "com.example.conformance", payload: String = #"{"text":"Hi"}"#, fields: [String: String] = [:],
        refused: [String] = [], dead: [String] = [], doubtful: [String] = [], credentialRefused: [String] = [],
        credentials: [Credential] = [], environment: PushEnvironment = .production, crowd: Int = 0,
        recipient: @escaping @Sendable (Int) -> String = { "recipient-\($0)" }
    ) {
        self.app = app
        self.payload = payload
        self.fields = fields
        self.refused = refused
        self.dead = dead
        self.doubtful = doubtful
        self.credentialRefused = credentialRefused
        self.credentials = credentials
        self.environment = environment
        self.crowd = crowd
        self.recipient = recipient
    }
}
