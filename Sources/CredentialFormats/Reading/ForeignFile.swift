internal import COpenSSL

/// Error messages for files that contain something other than a credential. Most state what the file contains.
enum ForeignFile {
    static let unknown = FileProblem(
        "is not a credential: expected a .p8 key, a .p12, or PEM with a certificate and its private key")

    private static let request = FileProblem(
        "is a certificate signing request: import the certificate that Apple issues for it, with its private key"
    )
    private static let publicKey = FileProblem("is a public key: import the private key")
    private static let bundle = FileProblem("has certificates only (PKCS#7): export certificate and key as .p12")

    /// Returns the problem of a PEM file that contains neither a usable key nor a certificate.
    ///
    /// - Parameter labels: the labels of the file's PEM blocks.
    static func problem(labels: [String]) -> FileProblem {
        for label in labels {
            switch label {
            case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST": return request
            case "PKCS7", "CMS": return bundle
            case "OPENSSH PRIVATE KEY": return FileProblem("is an SSH key, which no push service uses")
            case _ where label.hasSuffix("PUBLIC KEY"): return publicKey
            case _ where label.hasSuffix("PRIVATE KEY"):
                return FileProblem("has a private key of an unknown kind (\(label))")
            default: continue
            }
        }
        return unknown
    }

    static func problem(der: [UInt8]) -> FileProblem {
        defer { ERR_clear_error() }
        if let missing = missingBytes(der) {
            return FileProblem("is cut off: \(missing) bytes are missing at its end")
        }
        if let request = der.withDERPointer({ d2i_X509_REQ(nil, $0, $1) }) {
            X509_REQ_free(request)
            return self.request
        }
        if let key = der.withDERPointer({ d2i_PUBKEY(nil, $0, $1) }) {
            EVP_PKEY_free(key)
            return publicKey
        }
        if let signed = der.withDERPointer({ d2i_PKCS7(nil, $0, $1) }) {
            defer { PKCS7_free(signed) }
            guard OBJ_obj2nid(signed.pointee.type) == NID_pkcs7_signed else { return unknown }
            let content = signed.pointee.d.sign?.pointee.contents
            let isEmpty = content?.pointee.d.data == nil
            return isEmpty
                ? bundle
                : FileProblem(
                    "is a provisioning profile or other signed document: import a .p8 key or a push certificate"
                )
        }
        return FileProblem("is damaged or of an unknown kind")
    }

    /// Returns the number of bytes that are missing according to the length in the DER, or `nil` if the file is
    /// complete.
    private static func missingBytes(_ der: [UInt8]) -> Int? {
        guard der.count > 2 else { return nil }
        let first = Int(der[1])
        guard first > 0x80, first <= 0x84, der.count > 2 + first - 0x80 else {
            return first < 0x80 && der.count < 2 + first ? 2 + first - der.count : nil
        }
        let size = first - 0x80
        let length = der[2..<2 + size].reduce(0) { $0 << 8 | Int($1) }
        return 2 + size + length > der.count ? 2 + size + length - der.count : nil
    }
}
