public import PushModel

/// An X.509 certificate out of a file, with what matters of it here.
public struct Certificate: Sendable, Hashable {
    public let der: [UInt8]
    /// SubjectPublicKeyInfo (RFC 5280); empty for a kind of key that OpenSSL does not know.
    public let publicKeyDER: [UInt8]
    /// Names in DER, to find who issued whom.
    public let subjectDER: [UInt8]
    public let issuerDER: [UInt8]
    public let commonName: String?
    public let organizationalUnit: String?
    /// 0.9.2342.19200300.100.1.1
    public let userID: String?
    public let notBefore: Timestamp
    public let notAfter: Timestamp
    /// Values in DER by object identifier, written with dots.
    public let extensions: [String: [UInt8]]

    public var isSelfIssued: Bool { subjectDER == issuerDER }

    /// Certificates in the order that TLS sends them: this one, its issuer, that one's issuer, without the root,
    /// which a server has itself.
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
