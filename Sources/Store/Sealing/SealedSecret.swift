/// A sealed secret as the database stores it. It can be opened only with the master key that ``masterKeyID`` names, and
/// only for its own row.
package struct SealedSecret: Sendable, Hashable {
    /// The format byte, followed by the data of that format.
    package let bytes: [UInt8]
    package let masterKeyID: String

    package init(bytes: [UInt8], masterKeyID: String) {
        self.bytes = bytes
        self.masterKeyID = masterKeyID
    }
}
