internal import COpenSSL
import PushModel

/// A `.p12` file (RFC 7292) before its passphrase is known.
struct PKCS12File: ~Copyable {
    private let file: OpaquePointer
    private let algorithms: Algorithms

    /// Parses a `.p12` file, or returns `nil` if the bytes are not in this format.
    init?(_ bytes: [UInt8], _ algorithms: Algorithms) {
        // The object must exist before parsing. Otherwise, parsing would use the default library context.
        var target = PKCS12_init_ex(NID_pkcs7_data, algorithms.context, nil)
        _ = bytes.withDERPointer { d2i_PKCS12(&target, $0, $1) }
        ERR_clear_error()
        // If parsing fails, OpenSSL has freed the object.
        guard let target else { return nil }
        file = target
        self.algorithms = algorithms
    }

    deinit { PKCS12_free(file) }

    /// Returns all keys and certificates in the file.
    func open(_ passphrase: Passphrase, _ budget: inout DerivationBudget) throws(FileProblem) -> FileContents {
        defer { ERR_clear_error() }
        guard let parts = PKCS12_unpack_authsafes(file) else { throw FileProblem("is damaged") }
        defer { OPENSSL_sk_pop_free(parts, { PKCS7_free($0.map { $0.assumingMemoryBound(to: PKCS7.self) }) }) }
        if let rounds = checkableRounds {
            for candidate in passphrase.forPKCS12 {
                try budget.spend(rounds)
                guard candidate.withPassphrase({ PKCS12_verify_mac(file, $0, $1) }) == 1 else { continue }
                if let contents = try PKCS12Parts(parts, candidate, algorithms).contents(&budget) { return contents }
                throw FileProblem(
                    algorithms.hasLegacy
                        ? "is damaged"
                        : "uses RC2 encryption, and OpenSSL's legacy module is not installed: convert it with 'openssl pkcs12' elsewhere"
                )
            }
            throw FileProblem(passphrase.isMissing ? "needs a passphrase" : "the passphrase is wrong")
        }
        for candidate in passphrase.forPKCS12 {
            if let contents = try PKCS12Parts(parts, candidate, algorithms).contents(&budget) { return contents }
        }
        throw FileProblem(passphrase.isMissing ? "needs a passphrase" : "the passphrase is wrong, or it is damaged")
    }

    /// The number of hash rounds for verifying the file's checksum, or `nil` if the file has no checksum or one with an
    /// unknown hash.
    private var checkableRounds: Int? {
        var algorithm: UnsafePointer<X509_ALGOR>?
        var rounds: UnsafePointer<ASN1_INTEGER>?
        PKCS12_get0_mac(nil, &algorithm, nil, &rounds, file)
        guard let algorithm, EVP_get_digestbyname(OBJ_nid2sn(OBJ_obj2nid(algorithm.pointee.algorithm))) != nil
        else { return nil }
        // If the count is omitted, it is 1.
        return rounds.map(DerivationBudget.number) ?? 1
    }
}
