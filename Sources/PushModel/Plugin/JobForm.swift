/// The optional parts of a job that an output accepts: kinds of addresses, text payloads and `validate_only`. A job
/// with another part is rejected, and the rejection names the field.
public struct JobForm: Sendable, Hashable {
    /// The kinds of addresses that recipients may have.
    public var addresses: Set<AddressKind>
    /// Whether the output accepts a JSON string instead of an object as the payload. The text of the string is the
    /// message.
    public var takesText: Bool
    /// Whether the output supports `validate_only`. The provider then validates the push and delivers nothing.
    public var validatesOnly: Bool

    public init(addresses: Set<AddressKind> = [.token], takesText: Bool = false, validatesOnly: Bool = false) {
        self.addresses = addresses
        self.takesText = takesText
        self.validatesOnly = validatesOnly
    }

    /// A form that accepts every job.
    public static let any = JobForm(addresses: Set(AddressKind.allCases), takesText: true, validatesOnly: true)

    /// Checks that the job has only accepted parts.
    ///
    /// - Throws: ``JobRejection`` that names the field.
    package func check(_ job: Job) throws(JobRejection) {
        let others = job.fields.addresses.subtracting(AddressKinds(addresses)).kinds
        if let other = others.first {
            let field = other == .channel ? "channel" : "recipients"
            throw job.rejected(
                field,
                "\(job.output) accepts "
                    + "\(AddressKinds(addresses).kinds.map(\.name).joined(separator: ", ")), not \(other.name)"
            )
        }
        if job.fields.hasTextPayload, !takesText {
            throw job.rejected("payload", "must be an object for \(job.output)")
        }
        if job.fields.validateOnly, !validatesOnly {
            throw job.rejected("validate_only", "\(job.output) cannot validate a push without delivering it")
        }
    }
}
