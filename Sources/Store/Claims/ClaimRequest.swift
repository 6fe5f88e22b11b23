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
