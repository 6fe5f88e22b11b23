import NIOSSL
import PushModel
import SwiftASN1

/// Opens a `.p12` (RFC 7292): a certificate chain and the leaf's private key.
struct PKCS12File {
    let chainDER: [[UInt8]]
    let privateKeyDER: Secret

    /// - Throws: ``CredentialStoreError`` with code `badCredentialFile`.
    init(_ file: CredentialFile, passphrase: Secret?) throws {
        let bytes = file.contents.withBytes { $0 }
        let contents = BagKinds(in: bytes)
        // NIOSSL stops the process on a file without either
        guard contents.hasPrivateKey else {
            throw file.error("has no private key: export the certificate together with its key")
        }
        guard contents.hasCertificate else { throw file.error("has a private key, but no certificate") }
        let bundle = try Self.open(bytes, passphrase, file)
        chainDER = try bundle.certificateChain.map { try $0.toDERBytes() }
        privateKeyDER = Secret(try bundle.privateKey.derBytes)
    }

    private static func open(
        _ bytes: [UInt8], _ passphrase: Secret?, _ file: CredentialFile
    ) throws -> NIOSSLPKCS12Bundle {
        if let passphrase {
            do {
                return try passphrase.withBytes { try NIOSSLPKCS12Bundle(buffer: bytes, passphrase: $0) }
            } catch {
                throw file.error(isWrongPassphrase(error) ? "the passphrase is wrong" : "is damaged (\(error))")
            }
        }
        // no passphrase and an empty one are different things in PKCS#12, and both are in use
        if let bundle = try? NIOSSLPKCS12Bundle(buffer: bytes) { return bundle }
        do {
            return try NIOSSLPKCS12Bundle(buffer: bytes, passphrase: [UInt8]())
        } catch {
            throw file.error(isWrongPassphrase(error) ? "needs a passphrase" : "is damaged (\(error))")
        }
    }

    private static func isWrongPassphrase(_ error: any Error) -> Bool {
        String(describing: error).contains("INCORRECT_PASSWORD")
    }
}

/// Which bags a `.p12` has, as far as can be seen without its passphrase: private keys are in a readable
/// part, encrypted one by one; certificates may be in an encrypted part.
struct BagKinds {
    private(set) var hasPrivateKey = false
    private(set) var hasCertificate = false

    private static let keyBag: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 12, 10, 1, 1]
    private static let shroudedKeyBag: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 12, 10, 1, 2]
    private static let certificateBag: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 12, 10, 1, 3]
    private static let encryptedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 6]

    init(in bytes: [UInt8]) {
        visit(inside: bytes, depth: 0)
    }

    /// Octet strings hold the inner layers; a real file has four of them.
    private mutating func visit(inside content: [UInt8], depth: Int) {
        if depth < 8, let node = try? BER.parse(content) { visit(node, depth: depth + 1) }
    }

    private mutating func visit(_ node: ASN1Node, depth: Int) {
        switch node.content {
        case .constructed(let children) where node.identifier == .octetString:
            // BER's octet string in pieces, as Keychain writes it
            visit(inside: children.flatMap { Array(primitive: $0) }, depth: depth)
        case .constructed(let children):
            for child in children { visit(child, depth: depth) }
        case .primitive where node.identifier == .octetString:
            visit(inside: Array(primitive: node), depth: depth)
        case .primitive:
            guard let identifier = try? ASN1ObjectIdentifier(derEncoded: node) else { return }
            switch identifier {
            case Self.keyBag, Self.shroudedKeyBag: hasPrivateKey = true
            case Self.certificateBag, Self.encryptedData: hasCertificate = true
            default: break
            }
        }
    }
}

extension [UInt8] {
    fileprivate init(primitive node: ASN1Node) {
        if case .primitive(let content) = node.content { self = Array(content) } else { self = [] }
    }
}
