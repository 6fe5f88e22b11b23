/// A request to be the first to use a name.
public struct ClaimRequest: Sendable, Hashable {
    public let key: ClaimKey
    /// The content of the job, or `nil` if a worker made up the name, which then identifies the message by itself.
    package let content: JobContent?
    /// The UUID of the claimant. A request with the same owner repeats the same claim, because its answer was lost.
    package let owner: String
    /// The owner whose claim this request takes over. A claim passes from a message to the message that it was
    /// republished as. If there are several such messages, it passes to only one of them.
    package let predecessor: String?

    public init(key: ClaimKey, content: JobContent? = nil, owner: String, predecessor: String? = nil) {
        self.key = key
        self.content = content
        self.owner = owner
        self.predecessor = predecessor
    }
}
