public import PushModel

/// An X.509 certificate from a file, with the properties that Martlet uses.
public struct Certificate: Sendable, Hashable {
    public let der: [UInt8]
    /// The SubjectPublicKeyInfo (RFC 5280) in DER, or an empty array if OpenSSL does not support the kind of key.
    public let publicKeyDER: [UInt8]
    /// The subject's name in DER. It equals the issuer's name in certificates that this subject issued.
    public let subjectDER: [UInt8]
    /// The issuer's name in DER.
    public let issuerDER: [UInt8]
    public let commonName: String?
    public let organizationalUnit: String?
    /// The user id in the subject (attribute 0.9.2342.19200300.100.1.1), or `nil`.
    public let userID: String?
    public let notBefore: Timestamp
    public let notAfter: Timestamp
    /// The values of the certificate's extensions in DER. The keys are object identifiers in dotted form.
    public let extensions: [String: [UInt8]]

    public var isSelfIssued: Bool { subjectDER == issuerDER }

    /// Returns the certificates in the order in which TLS sends them: this certificate, its issuer, the issuer's
    /// issuer, and so on. The root is omitted, because servers have it.
    public func chain(from others: [Certificate]) -> [Certificate] {
        var chain = [self]
        while let last = chain.last, !last.isSelfIssued,
            let issuer = others.first(where: { $0.subjectDER == last.issuerDER && !chain.contains($0) }),
            !issuer.isSelfIssued
        {
            chain.append(issuer)
        }
        return chain
    }
}
