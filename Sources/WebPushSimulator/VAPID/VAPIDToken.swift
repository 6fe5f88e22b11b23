internal import Crypto
internal import Foundation
internal import PushSimulator

/// What an `authorization` field of the scheme `vapid` says (RFC 8292), its signature checked. Knows nothing of time.
struct VAPIDToken {
    enum Fault: Error, Hashable {
        /// The field is not of this form: `vapid t=…, k=…`.
        case badField
        case badKey
        /// The token, and why.
        case badToken(String)
    }

    /// The signing key: 65 bytes.
    let key: [UInt8]
    let audience: String
    /// Seconds since 1970.
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
        else { throw .badToken("not a JWT with aud and exp") }
        guard header.alg == "ES256", header.typ == nil || header.typ == "JWT" else {
            throw .badToken("alg is not ES256, or typ not JWT")
        }
        guard signature.count == 64, let raw = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            publicKey.isValidSignature(raw, for: Data("\(parts[0]).\(parts[1])".utf8))
        else { throw .badToken("the signature is not that of the key, in 64 bytes") }
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

    // MARK: What a service demands

    private static let longestLife = 86_400.0

    /// - Parameters:
    ///   - origin: of the endpoint.
    ///   - now: milliseconds since 1970.
    ///   - isStrict: whether the subject is compulsory, and its form looked at.
    /// - Returns: what is wrong; nil: nothing.
    func fault(origin: String, at now: Int64, isStrict: Bool) -> WebPushReason? {
        let now = Double(now) / 1_000
        if expiresAt <= now { return .expiredToken }
        if expiresAt > now + Self.longestLife { return .badToken }
        if audience != origin { return .badToken }
        guard let subject else { return isStrict ? .badToken : nil }
        return Self.isContact(subject, isStrict: isStrict) ? nil : .badToken
    }

    /// A mail address or a page, and, to be strict, one that can exist.
    private static func isContact(_ subject: String, isStrict: Bool) -> Bool {
        guard subject.hasPrefix("mailto:") || subject.hasPrefix("https://") else { return false }
        guard isStrict else { return true }
        let odd = [" ", "<", ">", "@localhost", ".local", "//localhost"]
        return !odd.contains { subject.contains($0) } && (subject.contains("@") || subject.hasPrefix("https://"))
    }
}
