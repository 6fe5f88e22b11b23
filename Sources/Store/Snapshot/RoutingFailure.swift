/// Why a job can't go anywhere now.
public enum RoutingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The database has no such app.
    case unknownApp(String)
    /// An operator has paused the app.
    case paused(String)
    /// The credential that the job itself names is none for it, and never will be.
    case unsuitable(explanation: String)
    /// Nothing was imported for this app, environment and topic.
    case noCredential(explanation: String)
    /// There is a credential, but it can't be used: expired, refused, or sealed under a key we don't have.
    case credentialUnusable(explanation: String)

    public var description: String {
        switch self {
        case .unknownApp(let app): "there is no app \(app)"
        case .paused(let app): "app \(app) is paused"
        case .unsuitable(let explanation), .noCredential(let explanation), .credentialUnusable(let explanation):
            explanation
        }
    }
}
