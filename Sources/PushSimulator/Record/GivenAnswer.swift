/// The parts of an answer that the simulator counts and records.
public struct GivenAnswer: Hashable, Sendable {
    let status: Int
    let reason: String?
    /// Whether the answer accepts the push.
    let isAcceptance: Bool

    /// Creates the record of an answer.
    ///
    /// - Parameter isAcceptance: whether the answer accepts the push. `nil` means that only status 200 does, as in most
    ///   services.
    package init(status: Int, reason: String?, isAcceptance: Bool? = nil) {
        self.status = status
        self.reason = reason
        self.isAcceptance = isAcceptance ?? (status == 200)
    }
}
