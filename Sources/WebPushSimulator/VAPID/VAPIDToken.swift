internal import Crypto
internal import Foundation
internal import PushSimulator

/// The contents of an `authorization` field with the scheme `vapid` (RFC 8292). The initializer verifies the signature,
/// and ``fault(origin:at:isStrict:)`` checks the claims.
struct VAPIDToken {
    enum Fault: Error, Hashable {
        /// The field does not have the form `vapid t=…, k=…`.
        case badField
        case badKey
        /// The token is invalid, for the given reason.
        case badToken(String)
    }

    /// The 65 bytes of the public key that verifies the signature.
    let key: [UInt8]
    let audience: String
    /// The expiry time, in seconds since 1970.
    let expiresAt: Double
    let subject: String?
    let text: String

    init(_ field: String) throws(Fault) {
        let parameters = try Self.parameters(field)
        guard let text = parameters["t"], let keyText = parameters["k"] else { throw .badField }
        guard let key = UnpaddedBase64.decode(keyText), key.count == 65, key[0] == 0x04,
            let publicKey = try? P256.Signing.PublicKey(x963Representation: key)
        else { throw .badKey }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header: Header = Self.decode(parts[0]), let claims: Claims = Self.decode(parts[1]),
            let signature = UnpaddedBase64.decode(parts[2])
        else { throw .badToken("is not a JWT with aud and exp") }
        guard header.alg == "ES256", header.typ == nil || header.typ == "JWT" else {
            throw .badToken("alg is not ES256, or typ is not JWT")
        }
        guard signature.count == 64, let raw = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            publicKey.isValidSignature(raw, for: Data("\(parts[0]).\(parts[1])".utf8))
        else { throw .badToken("the signature does not have 64 bytes or does not match the key") }
        self.key = key
        self.text = text
        (audience, expiresAt, subject) = (claims.aud, claims.exp, claims.sub)
    }

    private struct Header: Decodable {
        let alg: String
        let typ: String?
    }

    private struct Claims: Decodable {
        let aud: String
        let exp: Double
        let sub: String?
    }

    private static func decode<Value: Decodable>(_ part: Substring) -> Value? {
        UnpaddedBase64.decode(part).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0)) }
    }

    private static func parameters(_ field: String) throws(Fault) -> [String: String] {
        guard let space = field.firstIndex(of: " "), field[..<space].lowercased() == "vapid" else { throw .badField }
        var found: [String: String] = [:]
        for part in field[space...].split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
            guard pair.count == 2, found.updateValue(String(pair[1]), forKey: String(pair[0])) == nil else {
                throw .badField
            }
        }
        return found
    }

    // MARK: Requirements of services

    private static let longestLife = 86_400.0

    /// Checks the claims of the token.
    ///
    /// - Parameters:
    ///   - origin: the origin of the endpoint.
    ///   - now: the time in milliseconds since 1970.
    ///   - isStrict: whether the subject is required and its form is checked.
    /// - Returns: the problem with the token, or `nil` if there is none.
    func fault(origin: String, at now: Int64, isStrict: Bool) -> WebPushReason? {
        let now = Double(now) / 1_000
        if expiresAt <= now { return .expiredToken }
        if expiresAt > now + Self.longestLife { return .badToken }
        if audience != origin { return .badToken }
        guard let subject else { return isStrict ? .badToken : nil }
        return Self.isContact(subject, isStrict: isStrict) ? nil : .badToken
    }

    /// Returns whether the subject is a mail address or a URL. A strict check also rejects contacts that cannot exist.
    private static func isContact(_ subject: String, isStrict: Bool) -> Bool {
        guard subject.hasPrefix("mailto:") || subject.hasPrefix("https://") else { return false }
        guard isStrict else { return true }
        let odd = [" ", "<", ">", "@localhost", ".local", "//localhost"]
        return !odd.contains { subject.contains($0) } && (subject.contains("@") || subject.hasPrefix("https://"))
    }
}
