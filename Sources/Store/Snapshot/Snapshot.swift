import Foundation
public import PushModel

/// All apps and credentials at one moment, immutable.
public final class Snapshot: Sendable {
    private let apps: [String: App]
    private let index: SnapshotIndex
    package let paces: AppPaces
    private let unreadableApps: Set<StoreError>

    /// - Parameter unreadableApps: of those as well of which an earlier row stays in use.
    package init(apps: [App], credentials: [SnapshotCredential], unreadableApps: Set<StoreError> = []) {
        self.unreadableApps = unreadableApps
        self.apps = Dictionary(apps.map { ($0.bundleID, $0) }) { $1 }
        index = SnapshotIndex(credentials)
        paces = AppPaces(apps)
    }

    public var appCount: Int { apps.count }
    public var allApps: [App] { Array(apps.values) }
    package var appNames: some Sequence<String> { apps.keys }

    /// Every credential that is in use, expired ones included.
    public var credentialIDs: Set<Credential.ID> {
        Set(index.all.filter(\.isInUse).map(\.summary.id))
    }

    /// Those of them that are an output's.
    public func credentialIDs(of output: String) -> Set<Credential.ID> {
        Set(index.all.filter { $0.summary.output == output && $0.isInUse }.map(\.summary.id))
    }

    /// Why credentials could not be opened.
    public var openingProblems: Set<String> { Set(index.all.compactMap(\.problem?.message)) }

    /// Why rows can't be opened whose secrets were opened before and stay in use.
    package var keptBecause: Set<String> { Set(index.all.compactMap(\.keptBecause?.message)) }

    /// Which apps' rows can't be read, and why.
    var appProblems: Set<String> { Set(unreadableApps.map(\.message)) }

    /// Which rows can't be read, and why; what was known of them before stays in use.
    public var unreadableRows: Set<String> {
        let credentials = index.all.compactMap { $0.keptBecause ?? $0.problem }.filter { $0.code == .unreadable }
        return appProblems.union(credentials.map(\.message))
    }

    func credential(_ id: Credential.ID) -> SnapshotCredential? { index[id] }

    /// Every credential that is not retired, the newest first.
    public var credentialSummaries: [CredentialSummary] { index.all.map(\.summary) }

    /// A credential that is not retired, or why it does not open; nil if there is none of this id.
    public func opened(_ id: Credential.ID) -> Result<Credential, StoreError>? { index[id]?.opened }

    public func app(_ bundleID: String) -> App? { apps[bundleID] }

    /// Chooses the credential: the one that the job names, else the one that its app names, else a certificate for the
    /// topic, a key limited to the topic or a wider one, a key of the whole account; each only if it serves, and the newest
    /// of several.
    ///
    /// - Parameters:
    ///   - environment: nil for the app's default.
    ///   - named: the credential that the job itself names.
    ///   - now: against which validity is checked.
    public func route(
        app bundleID: String, with output: OutputAccounts, environment: PushEnvironment?, need: CredentialNeed,
        named: Credential.ID? = nil, at now: Timestamp = .now
    ) -> Result<Route, RoutingFailure> {
        guard let app = apps[bundleID] else { return .failure(.unknownApp(bundleID)) }
        if let obstacle = obstacle(to: app) { return .failure(obstacle) }
        let environment = environment ?? app.defaultEnvironment
        guard let account = app.accounts[output.name] else {
            return .failure(
                .noCredential(explanation: "app \(bundleID) has no \(output.accountName) for \(output.name)"))
        }
        let need = RoutingNeed(account, of: output, in: environment, need, now)
        var found: Credential?
        var obstacle: (of: SnapshotCredential, is: RoutingObstacle)?
        candidates(account, for: need, named: named) { rank, credential in
            switch credential.judged(by: need) {
            case .success(let credential): found = credential
            // the first that could be mended; a mismatch only where nothing else comes into question
            case .failure(let new):
                if obstacle == nil, !new.isMismatch || rank.isNamed { obstacle = (credential, new) }
            }
            return found != nil
        }
        if let found { return .success(Route(app: app, environment: environment, credential: found)) }
        return .failure(failure(of: bundleID, account, need, output.accountName, named: named, obstacle))
    }

    /// Why nothing is sent for an app, whatever the output.
    public func obstacle(to bundleID: String) -> RoutingFailure? {
        guard let app = apps[bundleID] else { return .unknownApp(bundleID) }
        return obstacle(to: app)
    }

    private func obstacle(to app: App) -> RoutingFailure? {
        if let problem = app.unreadable { return .credentialUnusable(explanation: problem.message) }
        return app.isPaused ? .paused(app.bundleID) : nil
    }

    /// Every credential that comes into question, the best first, and then the account's others. The first without an
    /// obstacle is the one that ``route(app:with:environment:need:named:at:)`` chooses, unless the app is paused; nil: there
    /// is no such app, or it has no account with this output.
    public func candidates(
        app bundleID: String, with output: OutputAccounts, environment: PushEnvironment?, need: CredentialNeed,
        named: Credential.ID? = nil, at now: Timestamp = .now
    ) -> [RoutingCandidate]? {
        guard let app = apps[bundleID], let account = app.accounts[output.name] else { return nil }
        let need = RoutingNeed(account, of: output, in: environment ?? app.defaultEnvironment, need, now)
        var found: [RoutingCandidate] = []
        // a key may be limited to the topic and to a wider one
        var seen: Set<Credential.ID> = []
        func add(_ credential: SnapshotCredential, _ rank: RoutingRank?) {
            guard seen.insert(credential.summary.id).inserted else { return }
            let obstacle: RoutingObstacle? =
                if case .failure(let obstacle) = credential.judged(by: need) { obstacle } else { nil }
            found.append(RoutingCandidate(credential: credential.summary, rank: rank, obstacle: obstacle))
        }
        candidates(account, for: need, named: named) { rank, credential in
            add(credential, rank)
            return false
        }
        if named == nil, account.credential == nil {
            for other in index.all
            where other.summary.output == output.name && other.summary.account == account.id { add(other, nil) }
        }
        return found
    }

    /// The one that is named, and no other then.
    private func candidates(
        _ account: AppAccount, for need: RoutingNeed, named: Credential.ID?,
        until isEnough: (RoutingRank, SnapshotCredential) -> Bool
    ) {
        if let named {
            if let credential = index[named] { _ = isEnough(.namedByJob, credential) }
        } else if let named = account.credential {
            if let credential = index[named] { _ = isEnough(.namedByApp, credential) }
        } else {
            index.candidates(for: need, until: isEnough)
        }
    }

    private func failure(
        of app: String, _ account: AppAccount, _ need: RoutingNeed, _ accountName: String, named: Credential.ID?,
        _ obstacle: (of: SnapshotCredential, is: RoutingObstacle)?
    ) -> RoutingFailure {
        if let named, obstacle.map({ $0.is.isMismatch }) ?? true {
            // what is known of another account's credential is not for this publisher
            let problem = obstacle.map { $0.is.text(accountName: accountName) } ?? "is no credential in use"
            return .unsuitable(explanation: "\(named) \(problem)")
        }
        if let obstacle {
            return .credentialUnusable(
                explanation: obstacle.of.explanation(of: obstacle.is, accountName: accountName)
                    + (account.credential == nil || named != nil ? "" : ", and app \(app) names it"))
        }
        if let credential = account.credential, named == nil {
            return .credentialUnusable(explanation: "credential \(credential), which app \(app) names, is retired")
        }
        return .noCredential(
            explanation: "\(accountName) \(need.account) of app \(app) has no credential for topic \(need.topic) in "
                + need.environment.rawValue)
    }
}

extension RoutingNeed {
    init(
        _ account: AppAccount, of output: OutputAccounts, in environment: PushEnvironment, _ need: CredentialNeed,
        _ now: Timestamp
    ) {
        self.init(
            output: output.name, account: account.id, environment: environment, topic: need.topic,
            widerTopic: need.widerTopic, refusesCertificates: need.refusesCertificates, now: now)
    }
}

extension RoutingRank {
    fileprivate var isNamed: Bool { self == .namedByJob || self == .namedByApp }
}

extension Timestamp {
    /// The system clock's time.
    public static var now: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
