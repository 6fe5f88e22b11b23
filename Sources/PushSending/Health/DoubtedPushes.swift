/// A collection of failed pushes. A single failure may concern its push alone. Failures of several pushes are evidence
/// about the credential, topic or host that they share.
struct DoubtedPushes: Sendable {
    private static let jobsNeeded = 3
    private static let pushesNeeded = 10
    /// The maximum number of pushes that are remembered.
    private static let longest = 1_000

    private var pushes: Set<PushIdentity> = []

    var isEmpty: Bool { pushes.isEmpty }

    /// Whether the failures are evidence: at least ten pushes, or pushes of at least three jobs, have failed.
    var areEvidence: Bool {
        pushes.count >= Self.pushesNeeded || Set(pushes.map(\.job)).count >= Self.jobsNeeded
    }

    /// Records the failure of a push.
    ///
    /// - Returns: Whether this is the first recorded failure of the push.
    mutating func insert(_ push: PushIdentity) -> Bool {
        guard !pushes.contains(push) else { return false }
        if pushes.count < Self.longest { pushes.insert(push) }
        return true
    }

    mutating func removeAll() {
        if !pushes.isEmpty { pushes = [] }
    }
}
