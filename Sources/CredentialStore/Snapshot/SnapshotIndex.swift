import PushModel

/// The credentials that are not retired, by what routing looks for; a lookup takes a few dictionary accesses.
struct SnapshotIndex: Sendable {
    private struct Account: Hashable {
        let output: String
        let account: String
    }

    private struct Topic: Hashable {
        let account: Account
        let topic: String
    }

    private var certificates: [Topic: [SnapshotCredential]] = [:]
    private var topicKeys: [Topic: [SnapshotCredential]] = [:]
    private var accountKeys: [Account: [SnapshotCredential]] = [:]
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
            let account = Account(output: summary.output, account: summary.account)
            if summary.kind != .certificate, summary.topics.isEmpty {
                accountKeys[account, default: []].append(credential)
            }
            for topic in summary.topics {
                let key = Topic(account: account, topic: topic)
                switch summary.kind {
                case .certificate: certificates[key, default: []].append(credential)
                case .token, .secret: topicKeys[key, default: []].append(credential)
                }
            }
        }
    }

    subscript(id: Credential.ID) -> SnapshotCredential? { byID[id] }

    /// Shows the credentials that come into question, the best first, until `isEnough`.
    func candidates(for need: RoutingNeed, until isEnough: (RoutingRank, SnapshotCredential) -> Bool) {
        let account = Account(output: need.output, account: need.account)
        let exact = Topic(account: account, topic: need.topic)
        for credential in certificates[exact] ?? [] where isEnough(.certificate, credential) { return }
        for credential in topicKeys[exact] ?? [] where isEnough(.topicKey, credential) { return }
        if let widerTopic = need.widerTopic {
            let wider = Topic(account: account, topic: widerTopic)
            for credential in topicKeys[wider] ?? [] where isEnough(.appKey, credential) { return }
        }
        for credential in accountKeys[account] ?? [] where isEnough(.accountKey, credential) { return }
    }
}
