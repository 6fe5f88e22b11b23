import PushModel

/// The credentials that are not retired, by what routing looks for; a lookup takes a few dictionary accesses.
struct SnapshotIndex: Sendable {
    private struct TeamTopic: Hashable {
        let team: String
        let topic: String
    }

    private var certificates: [TeamTopic: [SnapshotCredential]] = [:]
    private var topicKeys: [TeamTopic: [SnapshotCredential]] = [:]
    private var teamKeys: [String: [SnapshotCredential]] = [:]
    private let byID: [Credential.ID: SnapshotCredential]
    /// The newest first.
    let all: [SnapshotCredential]

    init(_ credentials: [SnapshotCredential]) {
        // the newest first: after a rotation it is used at once, the old one only where the new one can't be
        all = credentials.filter { $0.summary.state != .retired }.sorted {
            ($0.summary.createdAt, $0.summary.id) > ($1.summary.createdAt, $1.summary.id)
        }
        byID = Dictionary(all.map { ($0.summary.id, $0) }) { $1 }
        for credential in all {
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
    }

    subscript(id: Credential.ID) -> SnapshotCredential? { byID[id] }

    /// Shows the credentials that come into question, the best first, until `isEnough`.
    func candidates(for need: RoutingNeed, until isEnough: (RoutingRank, SnapshotCredential) -> Bool) {
        let exact = TeamTopic(team: need.team, topic: need.topic)
        for credential in certificates[exact] ?? [] where isEnough(.certificate, credential) { return }
        for credential in topicKeys[exact] ?? [] where isEnough(.topicKey, credential) { return }
        if need.keyTopic != need.topic {
            let ofApp = TeamTopic(team: need.team, topic: need.keyTopic)
            for credential in topicKeys[ofApp] ?? [] where isEnough(.appKey, credential) { return }
        }
        for credential in teamKeys[need.team] ?? [] where isEnough(.teamKey, credential) { return }
    }
}
