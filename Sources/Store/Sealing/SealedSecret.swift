/// A secret as it is stored: useless without the master key of that id, and in any other row.
public struct SealedSecret: Sendable, Hashable {
    /// A format byte and what that format says.
    public let bytes: [UInt8]
    public let masterKeyID: String

    public init(bytes: [UInt8], masterKeyID: String) {
        self.bytes = bytes
        self.masterKeyID = masterKeyID
    }
}
