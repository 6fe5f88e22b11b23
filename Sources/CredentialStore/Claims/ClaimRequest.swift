import Crypto

/// What a job, or a part of one, is known by among all workers.
public struct ClaimKey: Sendable, Hashable {
    /// The beginning of a SHA-256, written as a UUID.
    let uuid: String
    /// How long it is remembered.
    let seconds: Int

    /// - Parameters:
    ///   - name: the job's id or a part's name.
    ///   - isPart: no job's id is taken for a part's name, whatever publishers make up.
    public init(output: String, app: String, name: String, isPart: Bool = false, seconds: Int) {
        uuid = Digest.uuid(Array("\(output)\0\(app)\0\(isPart ? "part" : "job")\0\(name)".utf8))
        self.seconds = seconds
    }
}

/// What a job is, byte for byte: two jobs of one name are one job only if this is the same.
public struct JobContent: Sendable, Hashable {
    /// The beginning of a SHA-256, written as a UUID.
    let uuid: String

    public init(_ body: [UInt8]) {
        uuid = Digest.uuid(body)
    }
}

/// Somebody's wish to be the first of a name.
public struct ClaimRequest: Sendable, Hashable {
    public let key: ClaimKey
    /// nil: the name alone tells what it is, since a worker has made it up.
    package let content: JobContent?
    /// A UUID of who asks. The same again is the same claim, asked for again because no answer came.
    package let owner: String
    /// The owner that this one follows: a claim goes over from a message to the one that it was published again as, and
    /// only to one of those, should there be several.
    package let predecessor: String?

    public init(key: ClaimKey, content: JobContent? = nil, owner: String, predecessor: String? = nil) {
        self.key = key
        self.content = content
        self.owner = owner
        self.predecessor = predecessor
    }
}

public enum ClaimAnswer: Sendable, Hashable {
    case claimed
    /// Somebody else has claimed the same.
    case taken
    /// Somebody else has claimed the name for another content.
    case differs
}

private enum Digest {
    static func uuid(_ bytes: [UInt8]) -> String {
        let hex = SHA256.hash(data: bytes).prefix(16).hexPairs
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hex[$0].joined() }.joined(separator: "-")
    }
}
