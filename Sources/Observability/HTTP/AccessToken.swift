import Foundation

/// The token that a client must present. It is sent as `Authorization: Bearer <token>`, or as the password of HTTP
/// Basic authentication with any user name, as browsers do.
package struct AccessToken: Sendable {
    /// The minimum length of a token in bytes, which makes guessing infeasible.
    private static let fewestBytes = 16

    private let bytes: [UInt8]

    /// Creates a token, or returns `nil` if the text is too short.
    package init?(_ text: String) {
        bytes = Array(text.utf8)
        guard bytes.count >= Self.fewestBytes else { return nil }
    }

    /// Returns whether a request presents the token.
    ///
    /// - Parameter authorization: the value of the `Authorization` header, or `nil` if the request has none.
    package func isShown(by authorization: String?) -> Bool {
        guard let authorization, let space = authorization.firstIndex(of: " ") else { return false }
        let value = authorization[authorization.index(after: space)...].trimmingCharacters(in: .whitespaces)
        switch authorization[..<space].lowercased() {
        case "bearer": return isEqual(to: Array(value.utf8))
        case "basic":
            guard let data = Data(base64Encoded: value), let colon = data.firstIndex(of: UInt8(ascii: ":")) else {
                return false
            }
            return isEqual(to: Array(data[(colon + 1)...]))
        default: return false
        }
    }

    /// Compares the tokens in a time that does not depend on where they differ. The time reveals only the length of the
    /// presented token.
    private func isEqual(to shown: [UInt8]) -> Bool {
        guard !shown.isEmpty else { return false }
        var difference = UInt8(shown.count == bytes.count ? 0 : 1)
        for index in shown.indices { difference |= shown[index] ^ bytes[index % bytes.count] }
        return difference == 0
    }
}
