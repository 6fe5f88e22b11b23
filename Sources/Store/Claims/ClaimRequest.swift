/// A request to be the first to use a name.
package struct ClaimRequest: Sendable, Hashable {
    package let key: ClaimKey
    /// The content of the job, or `nil` for a name that a worker generated. Such a name alone identifies the message.
    package let content: JobContent?
    /// The UUID of the claimant. If an answer is lost, the same owner can repeat the request and keeps its claim.
    package let owner: String
    /// The owner whose claim this request takes over, or `nil` if there is none. A claim passes from a message to its
    /// republished copy. If there are several copies, the claim passes to only one of them.
    package let predecessor: String?

    package init(key: ClaimKey, content: JobContent? = nil, owner: String, predecessor: String? = nil) {
        self.key = key
        self.content = content
        self.owner = owner
        self.predecessor = predecessor
    }
}
