public import PushModel

/// An X.509 certificate from a file, with the properties that Martlet uses.
public struct Certificate: Sendable, Hashable {
    public let der: [UInt8]
    /// The SubjectPublicKeyInfo (RFC 5280), or an empty array if OpenSSL does not know the kind of key.
    public let publicKeyDER: [UInt8]
    /// The names of subject and issuer in DER. They connect certificates with their issuers.
    public let subjectDER: [UInt8]
    public let issuerDER: [UInt8]
    public let commonName: String?
    public let organizationalUnit: String?
    /// The subject's attribute 0.9.2342.19200300.100.1.1.
    public let userID: String?
    public let notBefore: Timestamp
    public let notAfter: Timestamp
    /// The values of the extensions in DER, by object identifier in dotted form.
    public let extensions: [String: [UInt8]]

    public var isSelfIssued: Bool { subjectDER == issuerDER }

    /// Returns the certificates in the order in which TLS sends them: this one, its issuer, the issuer's issuer, and so
    /// on. The root is omitted, because servers have it.
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
