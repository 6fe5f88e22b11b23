public import PushModel

/// What jobs for an output look like.
public struct OutputSamples: Sendable {
    /// A job's `app`.
    public var app: String
    /// A job's `payload`: a JSON object.
    public var payload: String
    /// Other fields of a job, as JSON: `["push_type": "\"alert\""]`.
    public var fields: [String: String]
    /// A recipient that the double knows, another one for each number from 0 on.
    public var recipient: @Sendable (Int) -> String
    /// How a recipient, whatever its text, is addressed in a job: `"subscription":{…}`; nil: as a token.
    public var address: (@Sendable (String) -> String)?
    /// Recipients that are refused for good.
    public var refused: [String]
    /// Recipients of which the double says that they are dead.
    public var dead: [String]
    /// Recipients that the double refuses with an answer, such as a bare 403 or 404, that may concern either them alone
    /// or the credential.
    public var doubtful: [String]
    /// Credentials that the double takes. With two of them it is tried how one is retired.
    public var credentials: [Credential]
    public var environment: PushEnvironment
    /// More recipients than the output can have on the wire at once, three times as many, say; 0: it takes any number.
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
