import Foundation
public import PushModel

/// All apps and credentials at one moment, immutable.
public final class Snapshot: Sendable {
    private let apps: [String: App]
    private let index: SnapshotIndex

    package init(apps: [App], credentials: [SnapshotCredential]) {
        self.apps = Dictionary(apps.map { ($0.bundleID, $0) }) { $1 }
        index = SnapshotIndex(credentials)
    }

    public var appCount: Int { apps.count }

    /// Every credential that is in use, expired ones included.
    public var credentialIDs: Set<Credential.ID> {
        Set(index.all.filter { $0.summary.state == .active && $0.problem == nil }.map(\.summary.id))
    }

    /// Why credentials could not be opened.
    public var openingProblems: Set<String> { Set(index.all.compactMap(\.problem?.message)) }

    /// Why rows can't be opened whose secrets were opened before and stay in use.
    var keptBecause: Set<String> { Set(index.all.compactMap(\.keptBecause?.message)) }

    func credential(_ id: Credential.ID) -> SnapshotCredential? { index[id] }

    /// Every credential that is not retired, the newest first.
    public var credentialSummaries: [CredentialSummary] { index.all.map(\.summary) }

    /// A credential that is not retired, or why it does not open; nil if there is none of this id.
    public func opened(_ id: Credential.ID) -> Result<Credential, CredentialStoreError>? { index[id]?.opened }

    public func app(_ bundleID: String) -> App? { apps[bundleID] }

    /// Chooses the credential: the one that the job names, else the one that its app names, else a certificate for the
    /// topic, a key limited to the topic or the app, a key of the whole team; each only if it serves, and the newest
    /// of several.
    ///
    /// - Parameters:
    ///   - environment: nil for the app's default.
    ///   - needsToken: certificates are refused for this push type.
    ///   - named: the credential that the job itself names.
    ///   - now: against which validity is checked.
    public func route(
        app bundleID: String, environment: PushEnvironment?, topic: String, needsToken: Bool = false,
        named: Credential.ID? = nil, at now: Timestamp = .now
    ) -> Result<Route, RoutingFailure> {
        guard let app = apps[bundleID] else { return .failure(.unknownApp(bundleID)) }
        if app.isPaused { return .failure(.paused(bundleID)) }
        let environment = environment ?? app.defaultEnvironment
        let need = RoutingNeed(app: app, environment: environment, topic: topic, needsToken: needsToken, now: now)
        var found: Credential?
        var obstacle: (of: SnapshotCredential, is: RoutingObstacle)?
        candidates(of: app, for: need, named: named) { rank, credential in
            switch credential.judged(by: need) {
            case .success(let credential): found = credential
            // the first that could be mended; a mismatch only where nothing else comes into question
            case .failure(let new):
                if obstacle == nil, !new.isMismatch || rank.isNamed { obstacle = (credential, new) }
            }
            return found != nil
        }
        if let found { return .success(Route(app: app, environment: environment, credential: found)) }
        return .failure(failure(of: app, need, named: named, obstacle))
    }

    /// Every credential that comes into question, the best first, and then the team's others. The first without an
    /// obstacle is the one that ``route(app:environment:topic:needsToken:named:at:)`` chooses, unless the app is
    /// paused; nil: there is no such app.
    public func candidates(
        app bundleID: String, environment: PushEnvironment?, topic: String, needsToken: Bool = false,
        named: Credential.ID? = nil, at now: Timestamp = .now
    ) -> [RoutingCandidate]? {
        guard let app = apps[bundleID] else { return nil }
        let need = RoutingNeed(
            app: app, environment: environment ?? app.defaultEnvironment, topic: topic, needsToken: needsToken, now: now
        )
        var found: [RoutingCandidate] = []
        // a key may be limited to the topic and to the app
        var seen: Set<Credential.ID> = []
        func add(_ credential: SnapshotCredential, _ rank: RoutingRank?) {
            guard seen.insert(credential.summary.id).inserted else { return }
            let obstacle: RoutingObstacle? =
                if case .failure(let obstacle) = credential.judged(by: need) { obstacle } else { nil }
            found.append(RoutingCandidate(credential: credential.summary, rank: rank, obstacle: obstacle))
        }
        candidates(of: app, for: need, named: named) { rank, credential in
            add(credential, rank)
            return false
        }
        if named == nil, app.credential == nil {
            for other in index.all where other.summary.team == app.team { add(other, nil) }
        }
        return found
    }

    /// The one that is named, and no other then.
    private func candidates(
        of app: App, for need: RoutingNeed, named: Credential.ID?,
        until isEnough: (RoutingRank, SnapshotCredential) -> Bool
    ) {
        if let named {
            if let credential = index[named] { _ = isEnough(.namedByJob, credential) }
        } else if let named = app.credential {
            if let credential = index[named] { _ = isEnough(.namedByApp, credential) }
        } else {
            index.candidates(for: need, until: isEnough)
        }
    }

    private func failure(
        of app: App, _ need: RoutingNeed, named: Credential.ID?,
        _ obstacle: (of: SnapshotCredential, is: RoutingObstacle)?
    ) -> RoutingFailure {
        if let named, obstacle.map({ $0.is.isMismatch }) ?? true {
            // what is known of another team's credential is not for this publisher
            return .unsuitable(explanation: "\(named) \(obstacle.map { "\($0.is)" } ?? "is no credential in use")")
        }
        if let obstacle {
            return .credentialUnusable(
                explanation: obstacle.of.explanation(of: obstacle.is)
                    + (app.credential == nil || named != nil ? "" : ", and app \(app.bundleID) names it"))
        }
        if let credential = app.credential, named == nil {
            return .credentialUnusable(
                explanation: "credential \(credential), which app \(app.bundleID) names, is retired")
        }
        return .noCredential(
            explanation: "team \(need.team) of app \(app.bundleID) has no credential for topic \(need.topic) in "
                + need.environment.rawValue)
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
