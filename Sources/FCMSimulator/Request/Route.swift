/// What a path leads to.
enum Route: Hashable {
    case accessTokens
    /// Sending, for a project that is named by its id or number.
    case messages(project: String)
    case nowhere

    init(path: String) {
        if path == TokenEndpoint.path {
            self = .accessTokens
        } else if let match = path.wholeMatch(of: /\/v1\/projects\/([^\/?#]+)\/messages:send/) {
            self = .messages(project: String(match.1))
        } else {
            self = .nowhere
        }
    }
}
