/// What an output's ids are called in its events.
public struct EventFields: Sendable, Hashable {
    /// Of ``Outcome/providerID``.
    public let id: String
    /// Of ``Outcome/uniqueID``; nil: there is none.
    public let uniqueID: String?

    public init(id: String, uniqueID: String? = nil) {
        self.id = id
        self.uniqueID = uniqueID
    }
}
