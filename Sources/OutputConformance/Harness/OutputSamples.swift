public import PushModel

/// Sample data for the jobs of an output.
public struct OutputSamples: Sendable {
    /// The `app` of a job.
    public var app: String
    /// The `payload` of a job, a JSON object.
    public var payload: String
    /// Other fields of a job, as JSON: `["push_type": "\"alert\""]`.
    public var fields: [String: String]
    /// Returns a recipient that the double accepts, a different one for each number from 0 on.
    public var recipient: @Sendable (Int) -> String
    /// Returns the address of a recipient in a job, for example `"subscription":{…}`. If it is `nil`, recipients are
    /// addressed as tokens.
    public var address: (@Sendable (String) -> String)?
    /// Recipients that the double permanently refuses.
    public var refused: [String]
    /// Recipients that the double reports as dead.
    public var dead: [String]
    /// Recipients that the double refuses with an ambiguous answer, such as a bare 403 or 404. It may concern the
    /// recipient alone, or the credential.
    public var doubtful: [String]
    /// Credentials that the double accepts. Retirement of a credential is tested if there are at least two.
    public var credentials: [Credential]
    public var environment: PushEnvironment
    /// A number of recipients that exceeds what the output can have on the wire at once, for example three times as
    /// many. 0 if the output has no such limit.
    public var crowd: Int

    public init(
        app: String = "com.example.conformance", payload: String = #"{"text":"Hi"}"#, fields: [String: String] = [:],
        refused: [String] = [], dead: [String] = [], doubtful: [String] = [], credentials: [Credential] = [],
        environment: PushEnvironment = .production, crowd: Int = 0,
        recipient: @escaping @Sendable (Int) -> String = { "recipient-\($0)" }
    ) {
        self.app = app
        self.payload = payload
        self.fields = fields
        self.refused = refused
        self.dead = dead
        self.doubtful = doubtful
        self.credentials = credentials
        self.environment = environment
        self.crowd = crowd
        self.recipient = recipient
    }
}
