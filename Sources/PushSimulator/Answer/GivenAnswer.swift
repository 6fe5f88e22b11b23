/// What the simulator counts and records of an answer.
public struct GivenAnswer: Hashable, Sendable {
    let status: Int
    let reason: String?

    package init(status: Int, reason: String?) {
        self.status = status
        self.reason = reason
    }
}
