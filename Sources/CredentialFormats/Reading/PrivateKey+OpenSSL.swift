internal import COpenSSL
import PushModel

extension PrivateKey {
    /// Creates a key from OpenSSL's object, or returns `nil` if it is not a private key.
    ///
    /// - Parameter key: an EVP_PKEY, which the caller still owns.
    init?(_ key: OpaquePointer) {
        guard let form = EVP_PKEY2PKCS8(key) else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(form) }
        guard let der = encoded({ i2d_PKCS8_PRIV_KEY_INFO(form, $0) }), let publicKey = subjectPublicKeyInfo(of: key)
        else { return nil }
        self.init(algorithm: KeyAlgorithm(key), der: Secret(der), publicKeyDER: publicKey)
    }

    /// Creates a key from OpenSSL's PKCS#8 object, or returns `nil` if OpenSSL does not support its algorithm.
    ///
    /// - Parameter form: a PKCS8_PRIV_KEY_INFO, which the caller still owns.
    init?(pkcs8 form: OpaquePointer, _ algorithms: Algorithms) {
        guard let key = EVP_PKCS82PKEY_ex(form, algorithms.context, nil) else { return nil }
        defer { EVP_PKEY_free(key) }
        self.init(key)
    }
}

extension KeyAlgorithm {
    init(_ key: OpaquePointer) {
        if EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA {
            self = .rsa(bits: Int(EVP_PKEY_get_bits(key)))
            return
        }
        let name = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
        var group = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &group, group.count, &length) == 1 else {
            self = .other(name)
            return
        }
        let curve = String(decoding: group.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self = name == "EC" && curve == "prime256v1" ? .p256 : .other("\(name) \(curve)")
    }
}

/// Returns the SubjectPublicKeyInfo of a key in DER. The result does not depend on how the file encodes the key.
func subjectPublicKeyInfo(of key: OpaquePointer) -> [UInt8]? {
    // The file may contain the point of an elliptic curve in compressed form, so the form is set here. Keys of other
    // kinds reject the parameter, which is harmless.
    _ = EVP_PKEY_set_utf8_string_param(key, "point-format", "uncompressed")
    ERR_clear_error()
    return encoded { i2d_PUBKEY(key, $0) }
}
