/// The reason why a job can't be sent now.
package enum RoutingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The database has no app with this bundle id.
    case unknownApp(String)
    /// An operator has paused the app.
    case paused(String)
    /// The credential that the job names is unknown or retired, or does not suit the job.
    case unsuitable(explanation: String)
    /// The app has no account with the output, or the account has no credential for the environment and topic.
    case noCredential(explanation: String)
    /// A credential exists but can't be used, for example because it has expired or its master key is missing. This
    /// case also covers an app whose row can't be read.
    case credentialUnusable(explanation: String)

    package var description: String {
        switch self {
        case .unknownApp(let app): "there is no app \(app)"
        case .paused(let app): "app \(app) is paused"
        case .unsuitable(let explanation), .noCredential(let explanation), .credentialUnusable(let explanation):
            explanation
        }
    }
}
