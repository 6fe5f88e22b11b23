import CredentialFormats
import PushModel
import PushSending

/// The credentials of ntfy. Each is an access token of one user.
struct NtfyCredentials: OutputCredentials {
    let accountName = "ntfy"
    let accountHelp = "User of the ntfy server"

    func need(of job: Job) -> CredentialNeed { CredentialNeed(topic: job.app) }

    func uses(of app: String) -> [CredentialUse] {
        [CredentialUse(environment: .production, pushType: "message", need: CredentialNeed(topic: app))]
    }

    func read(_ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp) throws -> NewCredential {
        guard let file = files.first, files.count == 1 else { throw CredentialFault("the access token is one file") }
        guard let user = details.account else { throw CredentialFault("--ntfy is required: the user of the token") }
        let token = Secret(file.contents.withBytes { $0.filter { $0 > 0x20 } })
        guard token.withBytes({ $0.starts(with: "tk_".utf8) && $0.allSatisfy { $0 < 0x7F } }) else {
            throw file.fault("is not an access token; it must begin with tk_")
        }
        return NewCredential(
            kind: .secret(token), account: user, environments: [.production], topics: details.topics,
            fingerprint: token.withBytes { Fingerprint.sha256($0) }, label: details.label ?? user)
    }

    func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) throws -> String {
        try settings.text("endpoint")
    }

    /// Checks a token with an invalid topic. The server answers 401 if the token is unknown, and otherwise 400.
    func check(_ question: CredentialQuestion, _ context: OutputContext) async throws -> CredentialFinding {
        let provider = NtfyProvider(endpoint: try context.settings.endpoint("endpoint"))
        return try await provider.check(
            question, with: PushRequest(path: "/", body: Array(#"{"topic":""}"#.utf8)), context)
    }
}
