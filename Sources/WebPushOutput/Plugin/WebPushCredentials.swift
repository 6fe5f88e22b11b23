import NIOPosix
public import PushModel

/// VAPID key pairs. A subscription is bound to the one that its page subscribed with.
public struct WebPushCredentials: OutputCredentials {
    public let accountName = "vapid"
    public let accountHelp = "A name for the VAPID key pair, of your own choosing"

    public init() {}

    public func need(of job: Job) -> CredentialNeed { CredentialNeed(topic: job.app) }

    public func uses(of app: String) -> [CredentialUse] {
        [CredentialUse(environment: .production, pushType: "any", need: CredentialNeed(topic: app))]
    }

    public func read(
        _ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp
    ) throws -> NewCredential {
        try Self.credential(
            try VAPIDKeyReader(passphrase: details.passphrase, subject: details.subject).read(files), details)
    }

    public func create(_ details: CredentialDetails, now: Timestamp) throws -> NewCredential {
        try Self.credential(VAPIDKey(subject: try VAPIDKeyReader.checked(details.subject)), details)
    }

    private static func credential(_ key: VAPIDKey, _ details: CredentialDetails) throws -> NewCredential {
        guard let account = details.account else {
            throw CredentialFault("--vapid is needed: a name for the key pair, which apps are given by")
        }
        var new = NewCredential(
            kind: .secret(try key.sealed()), account: account, environments: [.production], topics: details.topics,
            fingerprint: key.fingerprint, label: details.label ?? key.subject)
        new.shown = [(name: "applicationServerKey", text: key.publicKeyText)]
        return new
    }

    public func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) throws -> String {
        "the push services of browsers"
    }

    public func check(_ question: CredentialQuestion, _ context: OutputContext) async throws -> CredentialFinding {
        let check = WebPushCredentialCheck(
            configuration: try WebPushConfiguration(context.settings),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next())
        return await check.run(question.credential, recipient: question.recipient, now: context.clock())
    }
}
