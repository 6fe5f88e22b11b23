import Crypto
import NIOSSL
public import PushModel
import SwiftASN1
import X509

/// Makes a credential from the files Apple gives out: a `.p8` key, a `.p12`, or PEM files with a certificate
/// and its key.
public struct CredentialImporter: Sendable {
    /// For a `.p12` or an encrypted PEM key.
    public var passphrase: Secret?
    /// Apple's ten-character team id; for a certificate nil means: as the certificate says.
    public var team: String?
    /// Apple's id of a `.p8` key; nil means: as in its file name, `AuthKey_<key id>.p8`.
    public var keyID: String?
    /// Where a `.p8` key may be used; a certificate says it itself.
    public var environments: Set<PushEnvironment> = Set(PushEnvironment.allCases)
    /// What a topic-specific `.p8` key is limited to; a certificate says it itself.
    public var topics: Set<String> = []
    /// A name for people; nil means: made from what the file says.
    public var label: String?

    public init() {}

    /// - Parameter files: one file, or certificate and key in two.
    /// - Throws: ``CredentialStoreError`` with code `badCredentialFile`, naming file and fault, or
    ///   `invalidField`.
    public func read(_ files: [CredentialFile], now: Timestamp) throws -> NewCredential {
        guard let first = files.first else {
            throw CredentialStoreError(.badCredentialFile, "no file was given")
        }
        if files.count == 1, first.contents.withBytes({ $0.first == 0x30 }) {
            let bundle = try PKCS12File(first, passphrase: passphrase)
            return try certificate(bundle.chainDER, key: bundle.privateKeyDER, first, now: now)
        }
        var certificates: [(file: CredentialFile, block: PEMBlock)] = []
        var keys: [(file: CredentialFile, block: PEMBlock)] = []
        for file in files {
            let blocks = file.contents.withBytes { PEMBlock.blocks(in: String(decoding: $0, as: UTF8.self)) }
            certificates += blocks.filter(\.isCertificate).map { (file, $0) }
            keys += blocks.filter(\.isPrivateKey).map { (file, $0) }
            guard blocks.contains(where: { $0.isCertificate || $0.isPrivateKey }) else {
                throw file.error(
                    "is no credential: expected a .p8 key, a .p12, or PEM with a certificate and its private key")
            }
        }
        guard let key = keys.first else {
            throw first.error("has a certificate, but no private key: name the key's file too")
        }
        guard keys.count == 1 else { throw key.file.error("there is more than one private key") }
        if let certificate = certificates.first {
            let keyDER = try privateKey(key.block, key.file)
            let chain = try certificates.map { try Self.der($0.block, $0.file) }
            return try self.certificate(chain, key: keyDER, certificate.file, now: now)
        }
        return try token(key.block, key.file)
    }

    // MARK: .p8

    private func token(_ block: PEMBlock, _ file: CredentialFile) throws -> NewCredential {
        guard block.label == "PRIVATE KEY", let key = try? P256.Signing.PrivateKey(pemRepresentation: block.text) else {
            throw file.error(
                "is a private key without a certificate, and not a .p8 key of Apple's (PKCS#8, P-256, not encrypted)")
        }
        guard let keyID = keyID ?? Self.keyID(fromFileName: file.name) else {
            throw CredentialStoreError(
                .invalidField, "the key id is needed: \(file.name) is not named AuthKey_<key id>.p8")
        }
        guard let team else { throw CredentialStoreError(.invalidField, "the team id is needed for a .p8 key") }
        guard !environments.isEmpty else {
            throw CredentialStoreError(.invalidField, "at least one environment is needed")
        }
        return NewCredential(
            kind: .token(
                keyID: try Self.appleID(keyID, "key id"), privateKeyPEM: Secret(Array(block.text.utf8))),
            team: try Self.appleID(team, "team id"), environments: environments, topics: topics,
            fingerprint: Self.fingerprint(Array(key.publicKey.derRepresentation)), label: label ?? "key \(keyID)")
    }

    private static func keyID(fromFileName name: String) -> String? {
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        return String(name.dropFirst(8).dropLast(3).prefix(10))
    }

    /// Team and key ids: ten letters and digits, in the token that Apple checks.
    private static func appleID(_ id: String, _ field: String) throws -> String {
        guard id.utf8.count == 10, id.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) }) else {
            throw CredentialStoreError(.invalidField, "\(field) \(id) is not ten upper-case letters and digits")
        }
        return id
    }

    // MARK: certificates

    private func certificate(
        _ chainDER: [[UInt8]], key: Secret, _ file: CredentialFile, now: Timestamp
    ) throws -> NewCredential {
        let publicKey = try Self.publicKey(ofPrivateKeyDER: key, file)
        var chain: [(der: [UInt8], certificate: Certificate)] = []
        for der in chainDER {
            guard let certificate = try? Certificate(derEncoded: der) else {
                throw file.error("has a certificate that is damaged")
            }
            chain.append((der, certificate))
        }
        guard let leafIndex = chain.firstIndex(where: { $0.certificate.publicKey == publicKey }) else {
            throw file.error("the private key does not belong to the certificate")
        }
        let leaf = chain.remove(at: leafIndex)
        let facts: CertificateFacts
        do {
            facts = try CertificateFacts(leaf.certificate)
        } catch {
            throw file.error("the certificate \(error.text)")
        }
        guard facts.notAfter > now else {
            throw file.error("the certificate expired on \(facts.notAfter.rfc3339)")
        }
        guard let team = team ?? facts.team else {
            throw CredentialStoreError(
                .invalidField, "the team id is needed: the certificate of \(file.name) does not say it")
        }
        return NewCredential(
            kind: .certificate(chainDER: [leaf.der] + chain.map(\.der), privateKeyDER: key),
            team: try Self.appleID(team, "team id"), environments: facts.environments, topics: facts.topics,
            notBefore: facts.notBefore, notAfter: facts.notAfter,
            fingerprint: Self.fingerprint(leaf.der), label: label ?? facts.commonName)
    }

    private static func der(_ block: PEMBlock, _ file: CredentialFile) throws -> [UInt8] {
        guard let document = try? PEMDocument(pemString: block.text) else {
            throw file.error("has a certificate that is damaged")
        }
        return document.derBytes
    }

    private func privateKey(_ block: PEMBlock, _ file: CredentialFile) throws -> Secret {
        let pem = Array(block.text.utf8)
        guard block.isEncrypted else {
            guard let key = try? NIOSSLPrivateKey(bytes: pem, format: .pem) else {
                throw file.error("has a private key that is damaged or of an unknown kind")
            }
            return Secret(try key.derBytes)
        }
        guard let passphrase else { throw file.error("needs a passphrase: its private key is encrypted") }
        // NIOSSL stops the process on other bytes
        guard passphrase.withBytes({ $0.allSatisfy { $0 < 0x80 } }) else {
            throw file.error("the passphrase of an encrypted PEM key can only be ASCII: export it as .p12 instead")
        }
        let key = try? passphrase.withBytes { passphrase in
            try NIOSSLPrivateKey(bytes: pem, format: .pem) { provide in provide(passphrase) }
        }
        guard let key else { throw file.error("the passphrase is wrong, or its private key is damaged") }
        return Secret(try key.derBytes)
    }

    private static func publicKey(ofPrivateKeyDER der: Secret, _ file: CredentialFile) throws -> Certificate.PublicKey {
        let key = der.withBytes { bytes -> Certificate.PrivateKey? in
            for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"] {
                let document = PEMDocument(type: label, derBytes: bytes)
                if let key = try? Certificate.PrivateKey(pemDocument: document) { return key }
            }
            return nil
        }
        guard let key else { throw file.error("has a private key of a kind that push certificates don't use") }
        return key.publicKey
    }

    private static func fingerprint(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
