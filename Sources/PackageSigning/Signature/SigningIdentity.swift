package import CredentialFormats
package import PushModel

/// A certificate with its private key and its chain of issuers. It can sign packages.
package struct SigningIdentity: Sendable {
    package let certificate: Certificate
    package let issuers: [Certificate]
    private let privateKeyDER: Secret
    private let name: String

    private static let longestChain = 8

    /// Checks a certificate and finds its issuers.
    ///
    /// - Parameters:
    ///   - name: the name of the file or credential, for error messages.
    ///   - chainDER: the certificate, followed by its known issuers.
    ///   - others: further certificates, among which missing issuers are looked up.
    /// - Throws: ``PackageFault`` if a certificate is damaged or not valid at `now`, or if the issuer is missing or is
    ///   not a certificate authority.
    package init(
        name: String, chainDER: [[UInt8]], privateKeyDER: Secret, others: [Certificate], now: Timestamp
    ) throws(PackageFault) {
        let chain = chainDER.compactMap(Certificate.init(der:))
        guard let leaf = chain.first, chain.count == chainDER.count else {
            throw PackageFault("\(name): has a certificate that is damaged")
        }
        let candidates = chain.dropFirst() + others
        let signers = candidates.filter(leaf.isSigned(by:))
        guard let issuer = signers.first(where: \.isAuthority) else {
            if let signer = signers.first {
                throw PackageFault(
                    "\(name): its issuer \(signer.commonName ?? "") is not a certificate authority")
            }
            throw PackageFault(
                "\(name): the certificate of its issuer is missing, and Apple requires it: "
                    + "pass the certificate of \(leaf.issuerName) with --intermediate")
        }
        var issuers = [issuer]
        while let last = issuers.last, !last.isSelfIssued, issuers.count < Self.longestChain,
            let next = candidates.first(where: { last.isSigned(by: $0) && !$0.isSelfIssued && $0.isAuthority })
        {
            issuers.append(next)
        }
        for certificate in [leaf] + issuers {
            let which = certificate == leaf ? "the certificate" : "its issuer \(certificate.commonName ?? "")"
            guard now < certificate.notAfter else {
                throw PackageFault("\(name): \(which) expired on \(certificate.notAfter.rfc3339)")
            }
            guard now >= certificate.notBefore else {
                throw PackageFault("\(name): \(which) is not valid before \(certificate.notBefore.rfc3339)")
            }
        }
        certificate = leaf
        self.issuers = issuers
        self.privateKeyDER = privateKeyDER
        self.name = name
    }

    /// Checks that the certificate belongs to an id and a team. In Apple's certificates, the subject's user id is the
    /// id and its organizational unit is the team.
    ///
    /// - Parameters:
    ///   - field: the location of the id in the package, for the error message.
    ///   - team: the team in the package, or `nil` if the package names none.
    package func check(
        id: String, in field: String, team: String? = nil, in teamField: String = ""
    ) throws(PackageFault) {
        let subject = certificate.commonName.map { " (\($0))" } ?? ""
        guard certificate.userID == id else {
            let purpose = certificate.userID.map { "is for \($0)" } ?? "is for no id"
            throw PackageFault("\(field): is \(id), but the certificate of \(name)\(subject) \(purpose)")
        }
        guard team == nil || certificate.organizationalUnit == team else {
            throw PackageFault(
                "\(teamField): is \(team ?? ""), but the certificate of \(name)\(subject) is of team "
                    + (certificate.organizationalUnit ?? "none"))
        }
    }

    /// Returns the detached signature of some content, in DER.
    func sign(_ content: [UInt8]) throws(PackageFault) -> [UInt8] {
        do throws(FileProblem) {
            return try DetachedSignature.sign(
                content, certificate: certificate, privateKeyDER: privateKeyDER, others: issuers)
        } catch let problem {
            throw PackageFault("\(name): \(problem)")
        }
    }
}
