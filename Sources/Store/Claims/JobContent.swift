/// The digest of a job's body. Two jobs with the same name are the same job only if their bodies are equal byte for
/// byte.
package struct JobContent: Sendable, Hashable {
    /// The digest, which is the first half of a SHA-256, written as a UUID.
    let uuid: String

    /// The digest as 32 hex digits.
    package var hex: String { uuid.replacing("-", with: "").lowercased() }

    package init(_ body: [UInt8]) {
        uuid = ClaimDigest.uuid(body)
    }
}
