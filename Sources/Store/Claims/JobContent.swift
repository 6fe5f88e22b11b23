/// What a job is, byte for byte: two jobs of one name are one job only if this is the same.
public struct JobContent: Sendable, Hashable {
    /// The beginning of a SHA-256, written as a UUID.
    let uuid: String

    /// The same as 32 digits.
    package var hex: String { uuid.replacing("-", with: "").lowercased() }

    public init(_ body: [UInt8]) {
        uuid = ClaimDigest.uuid(body)
    }
}
