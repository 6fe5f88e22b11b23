package import PushModel

/// A credential as routing sees it. A class, since every job is shown some of them.
package final class SnapshotCredential: Sendable {
    package let summary: CredentialSummary
    /// Opened, or why it could not be.
    package let opened: Result<Credential, StoreError>
    /// Why the row can't be opened now although `opened` is good: the secret was opened before.
    let keptBecause: StoreError?

    package init(
        summary: CredentialSummary, opened: Result<Credential, StoreError>,
        keptBecause: StoreError? = nil
    ) {
        self.summary = summary
        self.opened = opened
        self.keptBecause = keptBecause
    }

    /// Opens a row. When its master key is not there (it was sealed anew under a key that has not come here yet),
    /// the secret stays in use that was opened before, provided that the row is still of the same key; when the row can't
    /// be read, all that was known of it.
    convenience init(_ row: CredentialRow, keyring: MasterKeyring, previous: SnapshotCredential?) {
        do throws(StoreError) {
            self.init(summary: row.summary, opened: .success(try row.open(with: keyring)))
        } catch {
            if error.code == .missingMasterKey, let known = previous?.secret(of: row.summary) {
                self.init(
                    summary: row.summary, opened: .success(Credential(row.summary, kind: known)), keptBecause: error)
            } else if error.code == .unreadable, let previous, previous.problem == nil, previous.isOf(row.summary) {
                self.init(summary: previous.summary, opened: previous.opened, keptBecause: error)
            } else {
                self.init(summary: row.summary, opened: .failure(error))
            }
        }
    }

    private func secret(of row: CredentialSummary) -> Credential.Kind? {
        guard case .success(let credential) = opened, summary.kind == row.kind, isOf(row) else { return nil }
        return credential.kind
    }

    /// The same key.
    private func isOf(_ row: CredentialSummary) -> Bool {
        summary.output == row.output && summary.account == row.account && summary.keyID == row.keyID
            && summary.fingerprint == row.fingerprint
    }

    var isInUse: Bool { summary.state == .active && problem == nil }

    var problem: StoreError? {
        if case .failure(let error) = opened { error } else { nil }
    }

    /// The credential, or why it does not serve. Everything that routing asks of one is asked here.
    func judged(by need: RoutingNeed) -> Result<Credential, RoutingObstacle> {
        if summary.output != need.output { return .failure(.otherOutput(summary.output)) }
        if summary.account != need.account { return .failure(.otherAccount) }
        // What it is for can't be read: it may be what is wanted.
        if summary.unreadable != nil { return opened.mapError { .sealed($0.message) } }
        if !summary.environments.contains(need.environment) { return .failure(.otherEnvironment(need.environment)) }
        switch summary.kind {
        case .certificate:
            if need.refusesCertificates { return .failure(.isCertificate) }
            if !summary.topics.contains(need.topic) { return .failure(.otherTopic(need.topic)) }
        case .token, .secret:
            guard
                summary.topics.isEmpty || summary.topics.contains(need.topic)
                    || need.widerTopic.map(summary.topics.contains) ?? false
            else { return .failure(.otherTopic(need.topic)) }
        }
        if summary.state != .active { return .failure(.state(summary.state)) }
        if let notAfter = summary.notAfter, need.now >= notAfter { return .failure(.expired(notAfter)) }
        if let notBefore = summary.notBefore, need.now < notBefore { return .failure(.early(notBefore)) }
        return opened.mapError { .sealed($0.message) }
    }

    /// For people.
    func explanation(of obstacle: RoutingObstacle, accountName: String) -> String {
        if case .sealed(let problem) = obstacle { return problem }
        return "credential \(summary.id) (\(summary.label)) \(obstacle.text(accountName: accountName))"
    }
}
