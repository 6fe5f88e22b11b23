/// The policy by which a channel stores messages for offline devices. The policy is set when the channel is created,
/// and cannot be changed.
package enum BroadcastChannelStorage: String, Sendable, CaseIterable {
    /// The channel stores no messages. Its broadcasts must have an expiration of 0. Apple allows more broadcasts to
    /// such a channel.
    case none
    /// The channel stores its most recent message for up to eight hours.
    case mostRecent = "most-recent"

    /// The value of Apple's `message-storage-policy`.
    package var policy: Int { self == .mostRecent ? 1 : 0 }

    package init?(policy: Int) {
        guard let storage = Self.allCases.first(where: { $0.policy == policy }) else { return nil }
        self = storage
    }
}
