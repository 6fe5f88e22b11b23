internal import COpenSSL

/// A reader for the elements of an ASN.1 SEQUENCE, one level deep.
package enum ASN1Sequence {
    package enum Element {
        case text(String)
        /// A nested SEQUENCE in DER.
        case sequence([UInt8])
        case other
    }

    /// Returns the elements, or `nil` if the bytes are not a SEQUENCE.
    package static func elements(of der: [UInt8]) -> [Element]? {
        defer { ERR_clear_error() }
        guard let list = der.withDERPointer({ d2i_ASN1_SEQUENCE_ANY(nil, $0, $1) }) else { return nil }
        defer { OPENSSL_sk_pop_free(list, { ASN1_TYPE_free($0.map { $0.assumingMemoryBound(to: ASN1_TYPE.self) }) }) }
        return (0..<OPENSSL_sk_num(list)).map { index in
            guard let raw = OPENSSL_sk_value(list, index) else { return .other }
            let type = raw.assumingMemoryBound(to: ASN1_TYPE.self).pointee
            switch type.type {
            case V_ASN1_UTF8STRING: return OpenSSLText.text(type.value.utf8string).map(Element.text) ?? .other
            case V_ASN1_SEQUENCE: return OpenSSLText.bytes(type.value.sequence).map(Element.sequence) ?? .other
            default: return .other
            }
        }
    }
}
