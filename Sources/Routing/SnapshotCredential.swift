package import PushModel

/// A credential for routing. It is a class, because routing passes several credentials around for every job.
package final class SnapshotCredential: Sendable {
    package let summary: CredentialSummary
    /// The opened credential, or the reason why it can't be opened.
    package let opened: Result<Credential, RowError>
    /// The reason why the row can't be opened now, if ``opened`` still holds an earlier secret. Otherwise `nil`.
    package let keptBecause: RowError?

    package init(
        summary: CredentialSummary, opened: Result<Credential, RowError>,
        keptBecause: RowError? = nil
    ) {
        self.summary = summary
        self.opened = opened
        self.keptBecause = keptBecause
    }

    /// Returns the opened secret, or `nil` if it was not opened or belongs to another key than the row.
    package func secret(of row: CredentialSummary) -> Credential.Kind? {
        guard case .success(let credential) = opened, summary.kind == row.kind, isOf(row) else { return nil }
        return credential.kind
    }

    /// Returns whether a row has the same key as this credential.
    package func isOf(_ row: CredentialSummary) -> Bool {
        summary.output == row.output && summary.account == row.account && summary.keyID == row.keyID
            && summary.fingerprint == row.fingerprint
    }

    package var isInUse: Bool { summary.state == .active && problem == nil }

    package var problem: RowError? {
        if case .failure(let error) = opened { error } else { nil }
    }

    /// Returns the credential, or the reason why it can't serve a job. This function makes all checks of a credential
    /// for routing.
    func judged(by need: RoutingNeed) -> Result<Credential, RoutingObstacle> {
        if summary.output != need.output { return .failure(.otherOutput(summary.output)) }
        if summary.account != need.account { return .failure(.otherAccount) }
        // The environments and topics of an unreadable row are unknown, so its credential may be the right one.
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

    /// Returns a sentence for operators about an obstacle of this credential.
    func explanation(of obstacle: RoutingObstacle, accountName: String) -> String {
        if case .sealed(let problem) = obstacle { return problem }
        return "credential \(summary.id) (\(summary.label)) \(obstacle.text(accountName: accountName))"
    }
}
