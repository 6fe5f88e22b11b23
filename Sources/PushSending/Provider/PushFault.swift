/// The reason why a push was not accepted.
public struct PushFault: Error, Sendable, Hashable {
    /// The provider's reason as one word. It has at most 100 characters.
    public let reason: String
    /// An explanation for people, or `nil` if there is none. It has at most 500 characters and omits the recipient's
    /// address.
    public let detail: String?

    /// Creates a fault. Longer texts are cut.
    public init(_ reason: String, detail: String? = nil) {
        self.reason = String(reason.prefix(100))
        self.detail = detail.map { String($0.prefix(500)) }
    }
}
