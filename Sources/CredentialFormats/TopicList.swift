internal import COpenSSL

/// Apple's extension 1.2.840.113635.100.6.3.6: a topic and the kinds of push it is for alternate in one SEQUENCE.
enum TopicList {
    /// - Returns: nil if it is malformed or empty.
    static func read(_ der: [UInt8]) -> [String: [String]]? {
        guard let elements = ASN1Sequence.elements(of: der) else { return nil }
        var topics: [String: [String]] = [:]
        var last: String?
        for element in elements {
            switch element {
            case .text(let topic) where !topic.isEmpty:
                last = topic
                topics[topic] = topics[topic] ?? []
            case .sequence(let kinds):
                guard let topic = last, let names = ASN1Sequence.elements(of: kinds) else { return nil }
                for case .text(let name) in names where !name.isEmpty { topics[topic]?.append(name) }
                last = nil
            case .text: return nil
            // why: Apple may add elements; those of other types are not ours to understand
            case .other: continue
            }
        }
        return topics.isEmpty ? nil : topics
    }
}

/// The elements of a SEQUENCE, one level deep.
enum ASN1Sequence {
    enum Element {
        case text(String)
        /// In DER, to be taken apart in turn.
        case sequence([UInt8])
        case other
    }

    static func elements(of der: [UInt8]) -> [Element]? {
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
