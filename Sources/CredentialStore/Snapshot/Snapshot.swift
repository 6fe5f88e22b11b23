import Foundation
public import PushModel

/// All apps and credentials at one moment, immutable; a lookup takes a few dictionary accesses.
public final class Snapshot: Sendable {
    private struct TeamTopic: Hashable {
        let team: String
        let topic: String
    }

    private let apps: [String: App]
    private let credentials: [Credential.ID: SnapshotCredential]
    private let certificates: [TeamTopic: [SnapshotCredential]]
    private let topicKeys: [TeamTopic: [SnapshotCredential]]
    private let teamKeys: [String: [SnapshotCredential]]

    package init(apps: [App], credentials: [SnapshotCredential]) {
        self.apps = Dictionary(apps.map { ($0.bundleID, $0) }) { $1 }
        self.credentials = Dictionary(credentials.map { ($0.summary.id, $0) }) { $1 }
        var certificates: [TeamTopic: [SnapshotCredential]] = [:]
        var topicKeys: [TeamTopic: [SnapshotCredential]] = [:]
        var teamKeys: [String: [SnapshotCredential]] = [:]
        // the newest first: after a rotation it is used at once, the old one only where the new one can't be
        let newestFirst = credentials.filter { $0.summary.state != .retired }.sorted {
            ($0.summary.createdAt, $0.summary.id) > ($1.summary.createdAt, $1.summary.id)
        }
        for credential in newestFirst {
            let summary = credential.summary
            if summary.kind == .token, summary.topics.isEmpty { teamKeys[summary.team, default: []].append(credential) }
            for topic in summary.topics {
                let key = TeamTopic(team: summary.team, topic: topic)
                switch summary.kind {
                case .certificate: certificates[key, default: []].append(credential)
                case .token: topicKeys[key, default: []].append(credential)
                }
            }
        }
        self.certificates = certificates
        self.topicKeys = topicKeys
        self.teamKeys = teamKeys
    }

    public var appCount: Int { apps.count }

    /// Every credential that is in use, expired ones included.
    public var credentialIDs: Set<Credential.ID> {
        Set(credentials.values.filter { $0.summary.state == .active && $0.problem == nil }.map(\.summary.id))
    }

    /// Why credentials could not be opened.
    public var openingProblems: Set<String> { Set(credentials.values.compactMap(\.problem?.message)) }

    /// Why rows can't be opened whose secrets were opened before and stay in use.
    var keptBecause: Set<String> { Set(credentials.values.compactMap(\.keptBecause?.message)) }

    func credential(_ id: Credential.ID) -> SnapshotCredential? { credentials[id] }

    /// Every credential that is not retired.
    public var credentialSummaries: [CredentialSummary] { credentials.values.map(\.summary) }

    /// A credential that is not retired, or why it does not open; nil if there is none of this id.
    public func opened(_ id: Credential.ID) -> Result<Credential, CredentialStoreError>? { credentials[id]?.opened }

    public func app(_ bundleID: String) -> App? { apps[bundleID] }

    /// Chooses the credential: the app's explicit one, a certificate for the topic, a key limited to the
    /// topic, a key of the whole team; each only if it is valid for the environment, and the newest of several.
    ///
    /// - Parameter environment: nil for the app's default.
    /// - Parameter now: against which validity is checked.
    public func route(
        app bundleID: String, environment: PushEnvironment?, topic: String, at now: Timestamp = .now
    ) -> Result<Route, RoutingFailure> {
        guard let app = apps[bundleID] else { return .failure(.unknownApp(bundleID)) }
        if app.isPaused { return .failure(.paused(bundleID)) }
        let environment = environment ?? app.defaultEnvironment
        let choice =
            if let explicit = app.credential {
                explicitCredential(explicit, of: app, environment, topic, now)
            } else {
                bestCredential(of: app, environment, topic, now)
            }
        return choice.map { Route(app: app, environment: environment, credential: $0) }
    }

    private func explicitCredential(
        _ id: Credential.ID, of app: App, _ environment: PushEnvironment, _ topic: String, _ now: Timestamp
    ) -> Result<Credential, RoutingFailure> {
        guard let credential = credentials[id] else {
            return .failure(
                .credentialUnusable(explanation: "credential \(id), which app \(app.bundleID) names, is retired"))
        }
        let summary = credential.summary
        guard summary.environments.contains(environment) else {
            return .failure(
                .credentialUnusable(
                    explanation: "credential \(id), which app \(app.bundleID) names, is not for \(environment.rawValue)"
                ))
        }
        guard summary.topics.isEmpty || !summary.topics.isDisjoint(with: [topic, keyTopic(of: app, topic)]) else {
            return .failure(
                .credentialUnusable(
                    explanation: "credential \(id), which app \(app.bundleID) names, is not for topic \(topic)"))
        }
        return credential.usable(at: now).mapError { .credentialUnusable(explanation: $0.explanation) }
    }

    private func bestCredential(
        of app: App, _ environment: PushEnvironment, _ topic: String, _ now: Timestamp
    ) -> Result<Credential, RoutingFailure> {
        let exact = TeamTopic(team: app.team, topic: topic)
        let ofApp = TeamTopic(team: app.team, topic: keyTopic(of: app, topic))
        let candidates = [certificates[exact], topicKeys[exact], topicKeys[ofApp], teamKeys[app.team]]
        var problem: String?
        for candidate in candidates.lazy.flatMap({ $0 ?? [] })
        where candidate.summary.environments.contains(environment) {
            switch candidate.usable(at: now) {
            case .success(let credential): return .success(credential)
            case .failure(let unusable): problem = problem ?? unusable.explanation
            }
        }
        if let problem { return .failure(.credentialUnusable(explanation: problem)) }
        return .failure(
            .noCredential(
                explanation:
                    "team \(app.team) of app \(app.bundleID) has no credential for topic \(topic) in \(environment.rawValue)"
            ))
    }

    /// A key limited to an app is taken to cover the app's topics with a suffix (`.voip`, …) too.
    private func keyTopic(of app: App, _ topic: String) -> String {
        topic.hasPrefix(app.bundleID + ".") ? app.bundleID : topic
    }
}

extension Timestamp {
    /// The system clock's time.
    public static var now: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
