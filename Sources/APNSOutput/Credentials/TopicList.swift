import CredentialFormats

/// A reader for Apple's extension 1.2.840.113635.100.6.3.6, a SEQUENCE in which each topic is followed by its kinds of
/// push.
enum TopicList {
    /// Returns the kinds of push by topic, or `nil` if the extension is malformed or empty.
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
            // Apple may add elements of other types. They are ignored.
            case .other: continue
            }
        }
        return topics.isEmpty ? nil : topics
    }
}
