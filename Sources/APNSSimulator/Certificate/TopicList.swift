internal import SwiftASN1

/// The value of the topics extension: a SEQUENCE of topic names, each followed by a SEQUENCE of kinds.
struct TopicList: DERImplicitlyTaggable {
    struct Topic {
        var name: String
        var kind: String
    }

    static var defaultIdentifier: ASN1Identifier { .sequence }
    var topics: [Topic]

    init(topics: [Topic]) {
        self.topics = topics
    }

    init(derEncoded rootNode: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        topics = try DER.sequence(rootNode, identifier: identifier) { nodes in
            var topics: [Topic] = []
            while let nameNode = nodes.next() {
                let name = String(try ASN1UTF8String(derEncoded: nameNode))
                var kind = ""
                if let kindNode = nodes.next() {
                    kind = try DER.sequence(kindNode, identifier: .sequence) { kinds in
                        var first = ""
                        while let node = kinds.next() {
                            first = first.isEmpty ? String(try ASN1UTF8String(derEncoded: node)) : first
                        }
                        return first
                    }
                }
                topics.append(Topic(name: name, kind: kind))
            }
            return topics
        }
    }

    func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) throws {
        try coder.appendConstructedNode(identifier: identifier) { coder in
            for topic in topics {
                try coder.serialize(ASN1UTF8String(topic.name))
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.serialize(ASN1UTF8String(topic.kind))
                }
            }
        }
    }
}
