package import PushModel

/// An immutable view of all apps and credentials at one moment.
package final class Snapshot: Sendable {
    private let apps: [String: App]
    private let index: SnapshotIndex
    package let rateLimits: AppRateLimits
    private let unreadableApps: Set<RowError>

    /// Creates a snapshot.
    ///
    /// - Parameter unreadableApps: the errors of apps whose rows can't be read. Apps that keep the data of an earlier
    ///   snapshot are included.
    package init(apps: [App], credentials: [SnapshotCredential], unreadableApps: Set<RowError> = []) {
        self.unreadableApps = unreadableApps
        self.apps = Dictionary(apps.map { ($0.bundleID, $0) }) { $1 }
        index = SnapshotIndex(credentials)
        rateLimits = AppRateLimits(apps)
    }

    package var appCount: Int { apps.count }
    package var allApps: [App] { Array(apps.values) }
    package var appNames: some Sequence<String> { apps.keys }

    /// The ids of all credentials in use, including expired ones.
    package var credentialIDs: Set<Credential.ID> {
        Set(index.all.filter(\.isInUse).map(\.summary.id))
    }

    /// Returns the ids of an output's credentials in use, including expired ones.
    package func credentialIDs(of output: String) -> Set<Credential.ID> {
        Set(index.all.filter { $0.summary.output == output && $0.isInUse }.map(\.summary.id))
    }

    /// The reasons why credentials could not be opened.
    package var openingProblems: Set<String> { Set(index.all.compactMap(\.problem?.message)) }

    /// The errors of credentials whose rows can't be opened now. Their secrets were opened before and stay in use.
    package var keptBecause: Set<String> { Set(index.all.compactMap(\.keptBecause?.message)) }

    /// The errors of apps whose rows can't be read.
    package var appProblems: Set<String> { Set(unreadableApps.map(\.message)) }

    /// The errors of app and credential rows that can't be read. Data that was read from these rows earlier stays in
    /// use.
    package var unreadableRows: Set<String> {
        let credentials = index.all.compactMap { $0.keptBecause ?? $0.problem }.filter { $0.isUnreadable }
        return appProblems.union(credentials.map(\.message))
    }

    package func credential(_ id: Credential.ID) -> SnapshotCredential? { index[id] }

    /// The summaries of all credentials that are not retired, newest first.
    package var credentialSummaries: [CredentialSummary] { index.all.map(\.summary) }

    /// Returns a credential or the reason why it can't be opened, or `nil` if the id is unknown or the credential is
    /// retired.
    package func opened(_ id: Credential.ID) -> Result<Credential, RowError>? { index[id]?.opened }

    package func app(_ bundleID: String) -> App? { apps[bundleID] }

    /// Returns the route of a job, with the chosen credential. A credential that the job names is the only candidate.
    /// Otherwise, a credential that the app names is the only candidate. If neither names one, the order of preference
    /// is: a certificate for the topic, a key limited to the topic, a key limited to the wider topic, a key of the
    /// whole account. The newest usable credential of the first kind that has one is chosen.
    ///
    /// - Parameters:
    ///   - environment: the environment that the job names, or `nil` for the app's default.
    ///   - named: the id of the credential that the job names, or `nil` if it names none.
    ///   - now: the time at which the credential must be valid.
    package func route(
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
            // Keep the first obstacle that an operator can remove. A mismatch is kept only for a named credential.
            case .failure(let new):
                if obstacle == nil, !new.isMismatch || rank.isNamed { obstacle = (credential, new) }
            }
            return found != nil
        }
        if let found { return .success(Route(app: app, environment: environment, credential: found)) }
        return .failure(failure(of: bundleID, account, need, output.accountName, named: named, obstacle))
    }

    /// Returns the reason why no push of an app can be sent through any output, or `nil` if there is no such reason.
    package func obstacle(to bundleID: String) -> RoutingFailure? {
        guard let app = apps[bundleID] else { return .unknownApp(bundleID) }
        return obstacle(to: app)
    }

    private func obstacle(to app: App) -> RoutingFailure? {
        if let problem = app.unreadable { return .credentialUnusable(explanation: problem.message) }
        return app.isPaused ? .paused(app.bundleID) : nil
    }

    /// Returns every credential that routing considers, best first. If neither the job nor the app names a credential,
    /// the other credentials of the account follow. ``route(app:with:environment:need:named:at:)`` chooses the first
    /// candidate without an obstacle, unless the app is paused or its row could not be read. Returns `nil` if the app
    /// does not exist or has no account with the output.
    package func candidates(
        app bundleID: String, with output: OutputAccounts, environment: PushEnvironment?, need: CredentialNeed,
        named: Credential.ID? = nil, at now: Timestamp = .now
    ) -> [RoutingCandidate]? {
        guard let app = apps[bundleID], let account = app.accounts[output.name] else { return nil }
        let need = RoutingNeed(account, of: output, in: environment ?? app.defaultEnvironment, need, now)
        var found: [RoutingCandidate] = []
        // A key may be limited to both the topic and the wider topic, and is then found twice.
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

    /// Calls `isEnough` with candidates, best first, until it returns `true`. A named credential is the only candidate.
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
            // The publisher must not learn details of a credential that belongs to another account.
            let problem = obstacle.map { $0.is.text(accountName: accountName) } ?? "is not a credential in use"
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
