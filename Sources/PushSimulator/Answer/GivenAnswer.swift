/// What the simulator counts and records of an answer.
public struct GivenAnswer: Hashable, Sendable {
    let status: Int
    let reason: String?
    /// Whether the push is accepted by it.
    let isAcceptance: Bool

    /// - Parameter isAcceptance: nil: as with most services, 200 is.
    package init(status: Int, reason: String?, isAcceptance: Bool? = nil) {
        self.status = status
        self.reason = reason
        self.isAcceptance = isAcceptance ?? (status == 200)
    }
}
