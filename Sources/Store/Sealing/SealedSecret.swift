/// A secret as it is stored. It opens only with the master key of that id, and only for its own row.
public struct SealedSecret: Sendable, Hashable {
    /// The format byte, followed by the data of that format.
    public let bytes: [UInt8]
    public let masterKeyID: String

    public init(bytes: [UInt8], masterKeyID: String) {
        self.bytes = bytes
        self.masterKeyID = masterKeyID
    }
}
