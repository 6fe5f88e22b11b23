/// The names of an output's ids in its result events.
public struct EventFields: Sendable, Hashable {
    /// The name of the field for ``Outcome/providerID``.
    public let id: String
    /// The name of the field for ``Outcome/uniqueID``, or `nil` if the output has no such id.
    public let uniqueID: String?

    public init(id: String, uniqueID: String? = nil) {
        self.id = id
        self.uniqueID = uniqueID
    }
}
