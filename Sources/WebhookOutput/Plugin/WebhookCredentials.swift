import Foundations
import NIOPosix
package import PushModel

/// The credential rules of the webhook output. A credential consists of a URL and the secrets that sign batches.
package struct WebhookCredentials: OutputCredentials {
    package let accountName = "webhook"
    package let accountHelp = "Name of a receiver, as you like"
    private let output: String

    package init(output: String) { self.output = output }

    package func need(of job: Job) -> CredentialNeed { CredentialNeed(topic: job.app) }

    package func uses(of app: String) -> [CredentialUse] {
        [CredentialUse(environment: .production, pushType: output, need: CredentialNeed(topic: app))]
    }

    package func read(_ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp) throws -> NewCredential {
        guard let file = files.first, files.count == 1 else {
            throw CredentialFault("a webhook's credential is one JSON file with its url and its secrets")
        }
        do {
            return try credential(of: try WebhookTarget(json: file.contents), details)
        } catch let fault as WebhookFault {
            throw file.fault(fault.description)
        }
    }

    package func create(_ details: CredentialDetails, now: Timestamp) throws -> NewCredential {
        guard let url = details.url else { throw CredentialFault("--url is required: the https URL of the receiver") }
        let secret = WebhookSecret.random()
        do {
            var new = try credential(of: try WebhookTarget(url: url, secrets: [secret]), details)
            new.shown = [(name: "signing secret", text: secret.text)]
            return new
        } catch let fault as WebhookFault {
            throw CredentialFault(fault.description)
        }
    }

    private func credential(of target: WebhookTarget, _ details: CredentialDetails) throws -> NewCredential {
        guard let account = details.account else {
            throw CredentialFault("--\(accountName) is required: a name for the receiver")
        }
        return NewCredential(
            kind: .secret(target.json), account: account, environments: [.production], topics: details.topics,
            fingerprint: target.fingerprint, label: details.label ?? target.url.endpoint.host)
    }

    package func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) throws -> String {
        "the credential's URL"
    }

    package func check(_ question: CredentialQuestion, _ context: OutputContext) async throws -> CredentialFinding {
        await WebhookCredentialCheck(
            configuration: try WebhookConfiguration(context.settings), output: output, clock: context.clock,
            eventLoop: MultiThreadedEventLoopGroup.singleton.next()
        ).run(question.credential)
    }
}
