import CredentialFormats

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
