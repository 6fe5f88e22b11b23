internal import Crypto
internal import CryptoExtras
public import Foundation
internal import SwiftASN1
package import X509

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The simulator's own certificate authority. It signs the simulator's server certificate and certificates for clients.
public struct CertificateAuthority: Sendable {
    let certificate: Certificate
    let key: P256.Signing.PrivateKey

    /// Creates a new authority with a new key.
    public init() throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName {
            CommonName("Push simulator authority \(key.publicKey.fingerprint)")
        }
        certificate = try Self.sign(
            subject: name, publicKey: Certificate.PublicKey(key.publicKey), issuer: name, issuerKey: key,
            validity: Validity(days: 3_650),
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
            })
        self.key = key
    }

    init(certificatePEM: String, keyPEM: String) throws {
        certificate = try Certificate(pemEncoded: certificatePEM)
        key = try P256.Signing.PrivateKey(pemRepresentation: keyPEM)
    }

    public var certificatePEM: String {
        get throws { try certificate.serializeAsPEM().pemString }
    }

    var keyPEM: String {
        key.pemRepresentation
    }

    /// A certificate and its private key, both in PEM.
    public struct Issued: Sendable {
        public let certificatePEM: String
        /// The private key in PKCS #8.
        public let privateKeyPEM: String
    }

    /// Issues a certificate for the simulator's server. It is valid for `localhost`, `127.0.0.1`, `::1` and the given
    /// names and addresses.
    ///
    /// - Throws: ``SimulatorError`` that names the entry if it is neither a host name nor an address.
    package func issueServerCertificate(names: [String] = []) throws -> Issued {
        let own = ["localhost", "127.0.0.1", "::1"]
        let alternatives = try (own + names.filter { !own.contains($0) }).map(Self.alternativeName)
        return try issue(
            subject: DistinguishedName { CommonName("Push simulator") }, validity: Validity(days: 397),
            extensions: Certificate.Extensions {
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(alternatives)
            })
    }

    /// Returns a list with the host as a name for certificates, or an empty list if a certificate cannot contain it.
    /// For example, certificates cannot contain an address with a zone.
    static func names(_ host: String) -> [String] { (try? alternativeName(host)) == nil ? [] : [host] }

    private static func alternativeName(_ text: String) throws -> GeneralName {
        if let address = address(text) { return .ipAddress(ASN1OctetString(contentBytes: address[...])) }
        // The first label may be a wildcard.
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.enumerated().allSatisfy { place, label in
            place == 0 && label == "*" && labels.count > 1
                || (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2d }
        }
        guard isName, text.utf8.count <= 253 else {
            throw SimulatorError("hostname: '\(text)' is neither a host name nor an address")
        }
        return .dnsName(text)
    }

    /// Returns the bytes of an IPv4 or IPv6 address, or `nil` if the text is neither.
    private static func address(_ text: String) -> [UInt8]? {
        for (family, length) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: length)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        0x61...0x7a ~= byte | 0x20 || 0x30...0x39 ~= byte
    }

    /// A kind of private key for issued certificates.
    public enum KeyKind: String, CaseIterable, Sendable {
        /// An elliptic-curve key on P-256, which is fast to generate.
        case ec
        /// An RSA key with 2,048 bits.
        case rsa

        func make() throws -> (key: Certificate.PrivateKey, pem: String) {
            switch self {
            case .ec:
                let key = P256.Signing.PrivateKey()
                return (Certificate.PrivateKey(key), key.pemRepresentation)
            case .rsa:
                let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
                return (Certificate.PrivateKey(key), key.pkcs8PEMRepresentation)
            }
        }
    }

    /// The validity period of a certificate.
    public struct Validity: Sendable {
        public var notBefore: Date
        public var notAfter: Date

        public init(notBefore: Date, notAfter: Date) {
            self.notBefore = notBefore
            self.notAfter = notAfter
        }

        /// Creates a period that ends after a number of days. It begins an hour ago, to allow for clock differences.
        public init(days: Int) {
            self.init(
                notBefore: Date(timeIntervalSinceNow: -3_600),
                notAfter: Date(timeIntervalSinceNow: Double(days) * 86_400))
        }
    }

    /// Issues a certificate with a new key.
    package func issue(
        subject: DistinguishedName, validity: Validity, extensions: Certificate.Extensions, key kind: KeyKind = .ec
    ) throws -> Issued {
        let (leafKey, pem) = try kind.make()
        // Strict clients such as Python 3.13 and later require this extension (RFC 5280, section 4.2.1.1).
        var extensions = extensions
        if let issuer = try certificate.extensions.subjectKeyIdentifier {
            try extensions.append(
                Certificate.Extension(
                    AuthorityKeyIdentifier(keyIdentifier: issuer.keyIdentifier), critical: false))
        }
        let leaf = try Self.sign(
            subject: subject, publicKey: leafKey.publicKey, issuer: certificate.subject, issuerKey: key,
            validity: validity, extensions: extensions)
        return Issued(certificatePEM: try leaf.serializeAsPEM().pemString, privateKeyPEM: pem)
    }

    private static func sign(
        subject: DistinguishedName, publicKey: Certificate.PublicKey, issuer: DistinguishedName,
        issuerKey: P256.Signing.PrivateKey, validity: Validity, extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: validity.notBefore, notValidAfter: validity.notAfter, issuer: issuer, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(issuerKey))
    }
}

extension P256.Signing.PublicKey {
    /// A short hash of the public key. It makes the names of authorities distinct, because clients find issuers by
    /// name.
    fileprivate var fingerprint: String {
        SHA256.hash(data: rawRepresentation).prefix(4).map { String($0, radix: 16) }.joined()
    }
}
