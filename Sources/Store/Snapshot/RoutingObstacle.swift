public import PushModel

/// Why a credential does not serve.
public enum RoutingObstacle: Error, Sendable, Hashable {
    case otherOutput(String)
    case otherAccount
    case otherEnvironment(PushEnvironment)
    case otherTopic(String)
    /// Certificates are refused for this push type.
    case isCertificate
    case state(CredentialSummary.State)
    case expired(Timestamp)
    case early(Timestamp)
    /// It can't be opened: the master key is missing, or the row was changed.
    case sealed(String)

    /// It is no fault of the credential: another one is wanted.
    public var isMismatch: Bool {
        switch self {
        case .otherOutput, .otherAccount, .otherEnvironment, .otherTopic, .isCertificate: true
        case .state, .expired, .early, .sealed: false
        }
    }

    /// For people.
    /// - Parameter accountName: what the output calls an account.
    public func text(accountName: String) -> String {
        switch self {
        case .otherOutput(let output): "is for output \(output)"
        case .otherAccount: "is of another \(accountName)"
        case .otherEnvironment(let environment): "is not for \(environment.rawValue)"
        case .otherTopic(let topic): "is not for topic \(topic)"
        case .isCertificate: "is a certificate, and this push type needs a key"
        case .state(let state): "is \(state.rawValue)"
        case .expired(let moment): "expired on \(moment.rfc3339)"
        case .early(let moment): "is not valid before \(moment.rfc3339)"
        case .sealed(let problem): "can't be opened: \(problem)"
        }
    }
}
