/// The parts of a job that not every output accepts. A job with a part that its output does not accept is rejected, and
/// the rejection names the field.
public struct JobForm: Sendable, Hashable {
    /// The kinds of addresses that recipients may have.
    public var addresses: Set<AddressKind>
    /// Whether a payload may be a JSON string instead of an object. The text of the string is the message.
    public var takesText: Bool
    /// Whether `validate_only` is supported: the provider validates the push and delivers nothing.
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
                "\(job.output) takes \(AddressKinds(addresses).kinds.map(\.name).joined(separator: ", ")), not \(other.name)"
            )
        }
        if job.fields.hasTextPayload, !takesText {
            throw job.rejected("payload", "must be an object for \(job.output)")
        }
        if job.fields.validateOnly, !validatesOnly {
            throw job.rejected("validate_only", "\(job.output) can't check a push without delivering it")
        }
    }
}
