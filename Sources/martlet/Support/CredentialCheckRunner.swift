import APNSOutput
import CredentialStore
import NIOPosix
import PushModel

/// A credential that is to be checked, stored or not.
struct CheckedCredential {
    /// nil while it is only a file.
    let id: Credential.ID?
    let label: String
    let team: String
    let environments: Set<PushEnvironment>
    let notBefore: Timestamp?
    let notAfter: Timestamp?
    let opened: Result<Credential, CredentialStoreError>

    init(_ summary: CredentialSummary, _ opened: Result<Credential, CredentialStoreError>) {
        id = summary.id
        label = summary.label
        team = summary.team
        environments = summary.environments
        notBefore = summary.notBefore
        notAfter = summary.notAfter
        self.opened = opened
    }

    init(_ new: NewCredential, _ opened: Result<Credential, CredentialStoreError>) {
        id = nil
        label = new.label
        team = new.team
        environments = new.environments
        notBefore = new.notBefore
        notAfter = new.notAfter
        self.opened = opened
    }

    /// The credential, or why there is no use in asking APNs about it.
    func usable(at now: Timestamp) -> Result<Credential, CredentialStoreError> {
        if let notAfter, now >= notAfter {
            return .failure(
                CredentialStoreError(.invalidField, "it expired on \(notAfter.rfc3339): import the renewed one"))
        }
        if let notBefore, now < notBefore {
            return .failure(CredentialStoreError(.invalidField, "it is not valid before \(notBefore.rfc3339)"))
        }
        return opened
    }
}

/// Checks credentials, each in its environments.
struct CredentialCheckRunner {
    /// With hundreds of credentials and a host that is away, each takes its whole patience.
    private static let checksAtOnce = 16

    let apns: APNSConfiguration
    let tokens: any ProviderTokenStore
    /// Empty: all that a credential has.
    let environments: Set<PushEnvironment>
    let device: String?
    let topic: String?

    func run(_ credentials: [CheckedCredential]) async -> [CredentialCheckReport] {
        let tasks = credentials.flatMap { credential in
            PushEnvironment.allCases.filter {
                credential.environments.contains($0) && (environments.isEmpty || environments.contains($0))
            }.map { (credential, $0) }
        }
        var reports = [CredentialCheckReport?](repeating: nil, count: tasks.count)
        await withTaskGroup(of: (Int, CredentialCheckReport).self) { group in
            for (index, (credential, environment)) in tasks.enumerated() {
                if index >= Self.checksAtOnce, let (done, report) = await group.next() { reports[done] = report }
                group.addTask { (index, await check(credential, in: environment)) }
            }
            for await (done, report) in group { reports[done] = report }
        }
        return reports.compactMap(\.self)
    }

    private func check(_ credential: CheckedCredential, in environment: PushEnvironment) async -> CredentialCheckReport
    {
        let now = Timestamp.now
        let finding: APNSCredentialFinding
        switch credential.usable(at: now) {
        case .success(let opened):
            let check = APNSCredentialCheck(
                configuration: apns, tokens: tokens, eventLoop: MultiThreadedEventLoopGroup.singleton.next())
            finding = await check.run(opened, in: environment, device: device, topic: topic)
        case .failure(let problem): finding = .unusable(problem.message)
        }
        return CredentialCheckReport(
            credential, environment, at: apns.endpoint(for: environment), finding, now: now)
    }
}
