/// What a channel keeps for devices that are away; set when it is made, for good.
public enum BroadcastChannelStorage: String, Sendable, CaseIterable {
    /// Nothing: its broadcasts must have expiration 0, and Apple allows more of them.
    case none
    /// The most recent message, for up to eight hours.
    case mostRecent = "most-recent"

    /// Apple's `message-storage-policy`.
    package var policy: Int { self == .mostRecent ? 1 : 0 }

    package init?(policy: Int) {
        guard let storage = Self.allCases.first(where: { $0.policy == policy }) else { return nil }
        self = storage
    }
}
