import NIOPosix
package import PushModel

/// The credential rules of the FCM output. A credential is a Google service account. Its account is the project for
/// which it sends.
package struct FCMCredentials: OutputCredentials {
    package let accountName = "project"
    package let accountHelp = "Id of the Firebase project"

    package init() {}

    /// Returns the requirements of a job on its credential. A service account may send for every app of its project.
    package func need(of job: Job) -> CredentialNeed { CredentialNeed(topic: job.app) }

    package func uses(of app: String) -> [CredentialUse] {
        [CredentialUse(environment: .production, pushType: "message", need: CredentialNeed(topic: app))]
    }

    package func read(
        _ files: [CredentialFile], _ details: CredentialDetails, now: Timestamp
    ) throws(CredentialFault) -> NewCredential {
        guard let file = files.first else { throw CredentialFault("no file was given") }
        guard files.count == 1 else { throw files[1].fault("is not needed: a service account is a single JSON file") }
        let account: ServiceAccount
        do throws(ServiceAccount.Fault) {
            account = try ServiceAccount(file.contents)
        } catch {
            throw file.fault(error.description)
        }
        if let keyID = details.keyID, keyID != account.keyID {
            throw file.fault("has the key id \(account.keyID), not \(keyID)")
        }
        let project = details.account ?? account.projectID
        guard ServiceAccount.isProject(project) else { throw CredentialFault("\(project) is not a project id") }
        return NewCredential(
            kind: .secret(file.contents), account: project, environments: [.production], topics: [],
            fingerprint: account.fingerprint, label: details.label ?? account.email)
    }

    package func problem(with credential: Credential, _ settings: OutputSettings) throws -> String? {
        let allowed = try FCMConfiguration(settings).tokenEndpoint
        guard let account = try? ServiceAccount(of: credential),
            let problem = account.tokenURI.problem(allowing: allowed)
        else { return nil }
        return "cannot get an access token: \(problem)"
    }

    package func endpoint(of environment: PushEnvironment, _ settings: OutputSettings) throws -> String {
        "\(try FCMConfiguration(settings).endpoint)"
    }

    package func check(_ question: CredentialQuestion, _ context: OutputContext) async throws -> CredentialFinding {
        let check = FCMCredentialCheck(
            configuration: try FCMConfiguration(context.settings), clock: context.clock,
            eventLoop: MultiThreadedEventLoopGroup.singleton.next())
        return await check.run(question.credential, recipient: question.recipient)
    }
}
