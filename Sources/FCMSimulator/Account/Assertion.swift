internal import CryptoExtras
internal import PushSimulator

/// A JWT with which a service account requests an access token (RFC 7523). Its signature is not verified yet.
struct Assertion {
    let algorithm: String?
    let keyID: String?
    let issuer: String?
    let scopes: [String]
    let audience: String?
    /// The time of issue in seconds since 1970, or `nil` if it is missing.
    let issuedAt: Double?
    /// The expiry time in seconds since 1970, or `nil` if it is missing.
    let expiresAt: Double?
    private let signed: [UInt8]
    private let signature: [UInt8]

    /// Parses an assertion.
    ///
    /// - Returns: the assertion, or `nil` if the text is not a JWT.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = UnpaddedBase64.decode(parts[2])
        else { return nil }
        algorithm = header.member("alg")?.text
        keyID = header.member("kid")?.text
        issuer = claims.member("iss")?.text
        scopes = (claims.member("scope")?.text ?? "").split(separator: " ").map(String.init)
        audience = claims.member("aud")?.text
        issuedAt = Self.number(claims.member("iat"))
        expiresAt = Self.number(claims.member("exp"))
        signed = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
    }

    func isSigned(by account: SimulatedAccount) -> Bool {
        algorithm == "RS256"
            && account.publicKey.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: signed, padding: .insecurePKCS1v1_5)
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = UnpaddedBase64.decode(part), let value = JSONReader.read(bytes), case .object = value else {
            return nil
        }
        return value
    }

    private static func number(_ value: JSONValue?) -> Double? {
        if case .number(let text) = value { Double(text) } else { nil }
    }
}
