package import PushModel

/// The reason why a credential can't serve a job.
package enum RoutingObstacle: Error, Sendable, Hashable {
    case otherOutput(String)
    case otherAccount
    case otherEnvironment(PushEnvironment)
    case otherTopic(String)
    /// The credential is a certificate, which this push type does not accept.
    case isCertificate
    case state(CredentialSummary.State)
    case expired(Timestamp)
    case early(Timestamp)
    /// The credential can't be opened, because its master key is missing, its row was changed, or its row can't be
    /// read.
    case sealed(String)

    /// Whether the job needs a different credential. If the value is `false`, the credential may suit the job, but
    /// can't be used now.
    package var isMismatch: Bool {
        switch self {
        case .otherOutput, .otherAccount, .otherEnvironment, .otherTopic, .isCertificate: true
        case .state, .expired, .early, .sealed: false
        }
    }

    /// Returns the obstacle as the second half of a sentence about the credential, for operators.
    ///
    /// - Parameter accountName: the output's term for an account.
    package func text(accountName: String) -> String {
        switch self {
        case .otherOutput(let output): "is for output \(output)"
        case .otherAccount: "is of another \(accountName)"
        case .otherEnvironment(let environment): "is not for \(environment.rawValue)"
        case .otherTopic(let topic): "is not for topic \(topic)"
        case .isCertificate: "is a certificate, and this push type needs a key"
        case .state(let state): "is \(state.rawValue)"
        case .expired(let moment): "expired on \(moment.rfc3339)"
        case .early(let moment): "is not valid before \(moment.rfc3339)"
        case .sealed(let problem): "cannot be opened: \(problem)"
        }
    }
}
