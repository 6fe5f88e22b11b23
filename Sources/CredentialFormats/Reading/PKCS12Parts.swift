internal import COpenSSL

/// A reader for the parts of a `.p12` file, with one candidate for the passphrase. A part contains bags with keys and
/// certificates, any number of them in any order.
struct PKCS12Parts {
    /// The maximum depth of bags within bags.
    private static let greatestDepth = 4

    private let parts: OpaquePointer
    private let passphrase: [UInt8]?
    private let algorithms: Algorithms
    private var found = FileContents(format: .pkcs12)

    /// Creates a reader.
    ///
    /// - Parameter parts: a stack of PKCS7, which the caller still owns.
    init(_ parts: OpaquePointer, _ passphrase: [UInt8]?, _ algorithms: Algorithms) {
        self.parts = parts
        self.passphrase = passphrase
        self.algorithms = algorithms
    }

    /// Returns the keys and certificates, or `nil` if the passphrase does not open a part.
    consuming func contents(_ budget: inout DerivationBudget) throws(FileProblem) -> FileContents? {
        for index in 0..<OPENSSL_sk_num(parts) {
            guard let raw = OPENSSL_sk_value(parts, index) else { return nil }
            let part = raw.assumingMemoryBound(to: PKCS7.self)
            let bags: OpaquePointer?
            switch OBJ_obj2nid(part.pointee.type) {
            case NID_pkcs7_data: bags = PKCS12_unpack_p7data(part)
            case NID_pkcs7_encrypted:
                try budget.spend(on: part.pointee.d.encrypted?.pointee.enc_data?.pointee.algorithm)
                bags = passphrase.withPassphrase { PKCS12_unpack_p7encdata(part, $0, $1) }
            // The part is encrypted with a public key. Such files do not occur in practice.
            default: throw FileProblem("has a part that is not encrypted with a passphrase")
            }
            guard let bags else { return nil }
            defer { OPENSSL_sk_pop_free(bags, { PKCS12_SAFEBAG_free($0.map { OpaquePointer($0) }) }) }
            guard try take(bags, depth: 0, &budget) else { return nil }
        }
        return found
    }

    /// Collects the keys and certificates in bags.
    ///
    /// - Returns: whether all bags could be opened.
    private mutating func take(
        _ bags: OpaquePointer, depth: Int, _ budget: inout DerivationBudget
    ) throws(FileProblem) -> Bool {
        for index in 0..<OPENSSL_sk_num(bags) {
            guard let bag = OPENSSL_sk_value(bags, index).map({ OpaquePointer($0) }) else { return false }
            switch PKCS12_SAFEBAG_get_nid(bag) {
            case NID_keyBag:
                try take(key: PKCS12_SAFEBAG_get0_p8inf(bag))
            case NID_pkcs8ShroudedKeyBag:
                var algorithm: UnsafePointer<X509_ALGOR>?
                X509_SIG_get0(PKCS12_SAFEBAG_get0_pkcs8(bag), &algorithm, nil)
                try budget.spend(on: algorithm)
                let opened = passphrase.withPassphrase {
                    PKCS12_decrypt_skey_ex(bag, $0, $1, algorithms.context, nil)
                }
                guard let opened else { return false }
                defer { PKCS8_PRIV_KEY_INFO_free(opened) }
                try take(key: opened)
            case NID_certBag where PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate:
                guard let certificate = PKCS12_SAFEBAG_get1_cert(bag) else { return false }
                defer { X509_free(certificate) }
                guard let certificate = Certificate(certificate) else {
                    throw FileProblem("has a certificate that is damaged")
                }
                found.certificates.append(certificate)
            case NID_safeContentsBag:
                guard depth < Self.greatestDepth, let inner = PKCS12_SAFEBAG_get0_safes(bag),
                    try take(inner, depth: depth + 1, &budget)
                else { return false }
            // Revocation lists and secrets are ignored.
            default: continue
            }
        }
        return true
    }

    private mutating func take(key form: OpaquePointer?) throws(FileProblem) {
        guard let key = form.flatMap({ PrivateKey(pkcs8: $0, algorithms) }) else {
            throw FileProblem("has a private key that is damaged or of an unknown kind")
        }
        found.keys.append(key)
    }
}
