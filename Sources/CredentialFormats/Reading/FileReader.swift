internal import COpenSSL
import PushModel

/// A reader that detects the format of a file and reads its keys and certificates.
struct FileReader {
    private let passphrase: Passphrase
    private let algorithms: Algorithms
    private var budget: DerivationBudget

    init(_ passphrase: Passphrase, _ algorithms: Algorithms, _ budget: DerivationBudget) {
        self.passphrase = passphrase
        self.algorithms = algorithms
        self.budget = budget
    }

    mutating func read(_ bytes: [UInt8]) throws(FileProblem) -> FileContents {
        if let text = TextFile.text(of: bytes) { return try read(text: text) }
        return try read(der: bytes)
    }

    // MARK: PEM

    private mutating func read(text: String) throws(FileProblem) -> FileContents {
        let blocks = try PEMBlock.blocks(in: text)
        var contents = FileContents(format: .pem)
        for block in blocks {
            if block.isCertificate {
                guard let certificate = block.der.flatMap(Certificate.init(der:)) else {
                    throw FileProblem("has a certificate that is damaged")
                }
                contents.certificates.append(certificate)
            } else if block.isPrivateKey {
                contents.keys.append(try key(block))
            }
        }
        guard !contents.keys.isEmpty || !contents.certificates.isEmpty else {
            throw ForeignFile.problem(labels: blocks.map(\.label))
        }
        return contents
    }

    private mutating func key(_ block: PEMBlock) throws(FileProblem) -> PrivateKey {
        let key: PrivateKey? =
            switch block.label {
            case "PRIVATE KEY": block.der.flatMap(pkcs8)
            case "ENCRYPTED PRIVATE KEY":
                if let der = block.der { try encryptedPKCS8(der) } else { nil }
            case "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY": try traditional(block)
            default: throw ForeignFile.problem(labels: [block.label])
            }
        guard let key else { throw FileProblem("has a private key that is damaged or of an unknown kind") }
        return key
    }

    /// Reads a key in OpenSSL's oldest format, in which PEM headers state the encryption.
    private func traditional(_ block: PEMBlock) throws(FileProblem) -> PrivateKey? {
        defer { ERR_clear_error() }
        guard block.isEncrypted else {
            return block.der?.withDERPointer { start, count in
                ownKey(d2i_AutoPrivateKey_ex(nil, start, count, algorithms.context, nil))
            }
        }
        guard !passphrase.isMissing else { throw Self.needsPassphrase }
        for candidate in passphrase.forKey {
            if let key = Self.traditional(block.text, candidate, algorithms) { return key }
        }
        throw Self.wrongPassphrase
    }

    private static func traditional(_ text: String, _ passphrase: [UInt8], _ algorithms: Algorithms) -> PrivateKey? {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes -> PrivateKey? in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(source) }
            return withUnsafePointer(to: passphrase) { passphrase in
                let key = PEM_read_bio_PrivateKey_ex(
                    source, nil,
                    { buffer, size, _, context in
                        guard let buffer, let context else { return -1 }
                        let passphrase = context.assumingMemoryBound(to: [UInt8].self).pointee
                        guard passphrase.count <= Int(size) else { return -1 }
                        for (index, byte) in passphrase.enumerated() { buffer[index] = CChar(bitPattern: byte) }
                        return Int32(passphrase.count)
                    }, UnsafeMutableRawPointer(mutating: passphrase), algorithms.context, nil)
                return key.flatMap { key in
                    defer { EVP_PKEY_free(key) }
                    return PrivateKey(key)
                }
            }
        }
    }

    // MARK: DER

    private mutating func read(der bytes: [UInt8]) throws(FileProblem) -> FileContents {
        guard bytes.first == 0x30 else { throw ForeignFile.unknown }
        var contents = FileContents(format: .der)
        if let file = PKCS12File(bytes, algorithms) { return try file.open(passphrase, &budget) }
        if let certificate = Certificate(der: bytes) {
            contents.certificates = [certificate]
        } else if let key = pkcs8(bytes) {
            contents.keys = [key]
        } else if let key = try encryptedPKCS8(bytes) {
            contents.keys = [key]
        } else if let key = bytes.withDERPointer({ ownKey(d2i_AutoPrivateKey_ex(nil, $0, $1, algorithms.context, nil)) }
        ) {
            contents.keys = [key]
        } else {
            throw ForeignFile.problem(der: bytes)
        }
        return contents
    }

    private func pkcs8(_ der: [UInt8]) -> PrivateKey? {
        defer { ERR_clear_error() }
        guard let form = der.withDERPointer({ d2i_PKCS8_PRIV_KEY_INFO(nil, $0, $1) }) else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(form) }
        return PrivateKey(pkcs8: form, algorithms)
    }

    /// Returns the decrypted key, or `nil` if the bytes are not an encrypted key in PKCS#8.
    private mutating func encryptedPKCS8(_ der: [UInt8]) throws(FileProblem) -> PrivateKey? {
        defer { ERR_clear_error() }
        guard let sealed = der.withDERPointer({ d2i_X509_SIG(nil, $0, $1) }) else { return nil }
        defer { X509_SIG_free(sealed) }
        guard !passphrase.isMissing else { throw Self.needsPassphrase }
        var algorithm: UnsafePointer<X509_ALGOR>?
        X509_SIG_get0(sealed, &algorithm, nil)
        for candidate in passphrase.forKey {
            try budget.spend(on: algorithm)
            let opened = Optional(candidate).withPassphrase {
                PKCS8_decrypt_ex(sealed, $0, $1, algorithms.context, nil)
            }
            guard let opened else { continue }
            defer { PKCS8_PRIV_KEY_INFO_free(opened) }
            if let key = PrivateKey(pkcs8: opened, algorithms) { return key }
        }
        throw Self.wrongPassphrase
    }

    private func ownKey(_ key: OpaquePointer?) -> PrivateKey? {
        defer {
            EVP_PKEY_free(key)
            ERR_clear_error()
        }
        return key.flatMap(PrivateKey.init)
    }

    private static let needsPassphrase = FileProblem("needs a passphrase: its private key is encrypted")
    private static let wrongPassphrase = FileProblem("the passphrase is wrong, or its private key is damaged")
}
