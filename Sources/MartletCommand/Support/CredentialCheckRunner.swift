import Logging
import MartletConfiguration
import PushModel
import Routing
import Store

/// A runner that checks credentials in each of their environments.
struct CredentialCheckRunner {
    /// The maximum number of concurrent checks. Checks run concurrently because there may be hundreds of credentials,
    /// and a check of an unreachable host takes its full time limit.
    private static let checksAtOnce = 16

    let source: ConfigurationSource
    let tokens: any SharedTokenStore
    let logger: Logger
    /// The environments in which to check credentials, or an empty set for all environments of a credential.
    let environments: Set<PushEnvironment>
    let device: String?
    let topic: String?

    /// Checks the credentials and returns one report for each credential and environment.
    ///
    /// - Throws: `ConfigurationError`.
    func run(_ credentials: [CheckedCredential]) async throws -> [CredentialCheckReport] {
        let tasks = credentials.flatMap { credential in
            // The environments of an unreadable row are unknown.
            if credential.environments.isEmpty { return [(credential, PushEnvironment.production)] }
            return PushEnvironment.allCases.filter {
                credential.environments.contains($0) && (environments.isEmpty || environments.contains($0))
            }.map { (credential, $0) }
        }
        var reports = [CredentialCheckReport?](repeating: nil, count: tasks.count)
        try await withThrowingTaskGroup(of: (Int, CredentialCheckReport).self) { group in
            for (index, (credential, environment)) in tasks.enumerated() {
                if index >= Self.checksAtOnce, let (done, report) = try await group.next() { reports[done] = report }
                group.addTask { (index, try await check(credential, in: environment)) }
            }
            for try await (done, report) in group { reports[done] = report }
        }
        return reports.compactMap(\.self)
    }

    private func check(
        _ credential: CheckedCredential, in environment: PushEnvironment
    ) async throws -> CredentialCheckReport {
        func unusable(_ why: String) -> CredentialCheckReport {
            CredentialCheckReport(
                credential, environment, at: nil,
                CredentialFinding(.unusable("its output \(credential.output) \(why)")),
                now: .now)
        }
        guard let plugin = source.outputs.first(where: { $0.name == credential.output }) else {
            return unusable("is not in this program")
        }
        guard let credentials = plugin.credentials else { return unusable("needs no credentials") }
        return try await check(credential, in: environment, of: plugin, credentials)
    }

    private func check(
        _ credential: CheckedCredential, in environment: PushEnvironment, of plugin: some OutputPlugin,
        _ credentials: any OutputCredentials
    ) async throws -> CredentialCheckReport {
        let now = Timestamp.now
        let finding: CredentialFinding
        switch credential.usable(at: now) {
        case .success(let opened):
            let context = try source.withSettings(of: plugin) { settings in
                try plugin.check(settings)
                return OutputContext(settings: settings, tokens: tokens, clock: { .now }, logger: logger)
            }
            let question = CredentialQuestion(
                credential: opened, environment: environment, recipient: device, topic: topic)
            do {
                finding = try await credentials.check(question, context)
            } catch let fault as SettingFault {
                finding = CredentialFinding(.unusable("\(plugin.name).\(fault)"))
            }
        case .failure(let problem): finding = CredentialFinding(.unusable(problem.message))
        }
        let endpoint = try source.withSettings(of: plugin) { try credentials.endpoint(of: environment, $0) }
        return CredentialCheckReport(credential, environment, at: endpoint, finding, now: now)
    }
}
