/// Checks of the fields that websites and passes share: the URL of the web service that devices call, and the token
/// that they send to it.
extension JSONMembers {
    /// The minimum length of a token in characters, which Apple requires.
    private static let leastTokenLength = 16

    mutating func checkToken(_ key: String) {
        guard let token = text(key), token.count < Self.leastTokenLength else { return }
        fault(key, "has \(token.count) characters: Apple requires at least \(Self.leastTokenLength)")
    }

    /// Returns a required URL. If it is missing or invalid, records a fault and returns `nil`.
    ///
    /// - Parameter schemes: the allowed schemes, with `://`.
    mutating func checkURL(_ key: String, schemes: [String]) -> String? {
        guard let url = text(key) else { return nil }
        guard Self.isURL(url, schemes: schemes) else {
            fault(key, "must begin with \(schemes.joined(separator: " or ")) and a host")
            return nil
        }
        return url
    }

    static func isURL(_ text: String, schemes: [String]) -> Bool {
        schemes.contains { scheme in
            text.lowercased().hasPrefix(scheme) && text.count > scheme.count
                && !text.dropFirst(scheme.count).hasPrefix("/")
                && !text.contains(where: \.isWhitespace)
        }
    }
}
