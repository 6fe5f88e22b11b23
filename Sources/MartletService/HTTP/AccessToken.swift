import Foundation

/// What whoever asks must show: as `Authorization: Bearer <token>`, or, as browsers do, as the password of a `Basic` one, whatever
/// the user's name is.
package struct AccessToken: Sendable {
    /// Nobody guesses as many.
    private static let fewestBytes = 16

    private let bytes: [UInt8]

    /// nil: it is too short.
    package init?(_ text: String) {
        bytes = Array(text.utf8)
        guard bytes.count >= Self.fewestBytes else { return nil }
    }

    /// - Parameter authorization: the header's value.
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

    /// Takes as long wherever they differ: the time tells nothing but the length of what was shown.
    private func isEqual(to shown: [UInt8]) -> Bool {
        guard !shown.isEmpty else { return false }
        var difference = UInt8(shown.count == bytes.count ? 0 : 1)
        for index in shown.indices { difference |= shown[index] ^ bytes[index % bytes.count] }
        return difference == 0
    }
}
