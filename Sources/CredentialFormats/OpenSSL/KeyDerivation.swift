internal import COpenSSL

/// A limit on the work of opening a file. Without a limit, a file could demand any number of iterations.
struct DerivationBudget {
    private var iterations: Int

    init(iterations: Int) {
        self.iterations = iterations
    }

    mutating func spend(_ count: Int) throws(FileProblem) {
        guard count >= 0, count <= iterations else {
            throw FileProblem("requires an unreasonable number of rounds to derive its key from the passphrase")
        }
        iterations -= count
    }

    /// Subtracts the iterations of a key derivation of PKCS#5 or PKCS#12 (RFC 8018, RFC 7292), or of scrypt (RFC 7914).
    /// Other algorithms cost nothing, because OpenSSL does not carry them out.
    mutating func spend(on algorithm: UnsafePointer<X509_ALGOR>?) throws(FileProblem) {
        guard let algorithm else { return }
        defer { ERR_clear_error() }
        let parameter = algorithm.pointee.parameter
        guard OBJ_obj2nid(algorithm.pointee.algorithm) == NID_pbes2 else {
            guard let unpacked = ASN1_TYPE_unpack_sequence(PBEPARAM_it(), parameter) else { return }
            let scheme = unpacked.assumingMemoryBound(to: PBEPARAM.self)
            defer { PBEPARAM_free(scheme) }
            return try spend(Self.number(scheme.pointee.iter))
        }
        guard let unpacked = ASN1_TYPE_unpack_sequence(PBE2PARAM_it(), parameter) else { return }
        let scheme = unpacked.assumingMemoryBound(to: PBE2PARAM.self)
        defer { PBE2PARAM_free(scheme) }
        try spend(onFunction: scheme.pointee.keyfunc)
    }

    private mutating func spend(onFunction function: UnsafePointer<X509_ALGOR>?) throws(FileProblem) {
        let parameter = function?.pointee.parameter
        if let unpacked = ASN1_TYPE_unpack_sequence(PBKDF2PARAM_it(), parameter) {
            let values = unpacked.assumingMemoryBound(to: PBKDF2PARAM.self)
            defer { PBKDF2PARAM_free(values) }
            try spend(Self.number(values.pointee.iter))
        } else if let unpacked = ASN1_TYPE_unpack_sequence(SCRYPT_PARAMS_it(), parameter) {
            let values = unpacked.assumingMemoryBound(to: SCRYPT_PARAMS.self)
            defer { SCRYPT_PARAMS_free(values) }
            let factors = [
                values.pointee.costParameter, values.pointee.blockSize, values.pointee.parallelizationParameter,
            ]
            try spend(factors.reduce(1) { Self.product($0, Self.number($1)) })
        }
    }

    /// Returns the value of an integer, or `Int.max` if it is missing or does not fit. `Int.max` exceeds every budget.
    static func number(_ integer: UnsafePointer<ASN1_INTEGER>?) -> Int {
        var value: Int64 = 0
        guard let integer, ASN1_INTEGER_get_int64(&value, integer) == 1 else { return .max }
        return Int(value)
    }

    private static func product(_ left: Int, _ right: Int) -> Int {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? .max : product
    }
}
