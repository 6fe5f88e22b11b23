import PushModel

/// An index of all credentials that are not retired. A lookup takes a few dictionary accesses.
struct SnapshotIndex: Sendable {
    private struct AccountName: Hashable {
        let output: String
        let account: String
    }

    /// The credentials of one account, newest first.
    private struct Account {
        /// The certificates, by topic.
        var certificates: [String: [SnapshotCredential]] = [:]
        /// The keys that are limited to topics, by topic.
        var topicKeys: [String: [SnapshotCredential]] = [:]
        /// The keys that are valid for every topic, and the credentials whose rows can't be read.
        var keys: [SnapshotCredential] = []

        mutating func add(_ credential: SnapshotCredential) {
            if credential.summary.unreadable != nil { return keys.append(credential) }
            let topics = credential.summary.topics
            switch credential.summary.kind {
            case .certificate: for topic in topics { certificates[topic, default: []].append(credential) }
            case .token, .secret:
                if topics.isEmpty { keys.append(credential) }
                for topic in topics { topicKeys[topic, default: []].append(credential) }
            }
        }
    }

    private var accounts: [AccountName: Account] = [:]
    private let byID: [Credential.ID: SnapshotCredential]
    /// All credentials that are not retired, newest first.
    let all: [SnapshotCredential]

    init(_ credentials: [SnapshotCredential]) {
        // The newest credential comes first. After a rotation, a new key is therefore used immediately, and the old key
        // only while the new key can't be used.
        all = credentials.filter { $0.summary.state != .retired }.sorted {
            ($0.summary.createdAt, $0.summary.id) > ($1.summary.createdAt, $1.summary.id)
        }
        byID = Dictionary(all.map { ($0.summary.id, $0) }) { $1 }
        for credential in all {
            let summary = credential.summary
            accounts[AccountName(output: summary.output, account: summary.account), default: Account()].add(credential)
        }
    }

    subscript(id: Credential.ID) -> SnapshotCredential? { byID[id] }

    /// Calls `isEnough` with the candidates for a job, best first, until it returns `true`.
    func candidates(for need: RoutingNeed, until isEnough: (RoutingRank, SnapshotCredential) -> Bool) {
        guard let account = accounts[AccountName(output: need.output, account: need.account)] else { return }
        for credential in account.certificates[need.topic] ?? [] where isEnough(.certificate, credential) { return }
        for credential in account.topicKeys[need.topic] ?? [] where isEnough(.topicKey, credential) { return }
        if let widerTopic = need.widerTopic {
            for credential in account.topicKeys[widerTopic] ?? [] where isEnough(.appKey, credential) { return }
        }
        for credential in account.keys where isEnough(.accountKey, credential) { return }
    }
}
