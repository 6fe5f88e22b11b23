/// What of a job not every output takes. The host refuses what this one does not, naming the field.
public struct JobForm: Sendable, Hashable {
    /// How its recipients are addressed.
    public var addresses: Set<AddressKind>
    /// A payload may be a JSON string, whose text is the message, in place of an object.
    public var takesText: Bool
    /// `validate_only` is understood: the provider checks the push, and delivers nothing.
    public var validatesOnly: Bool

    public init(addresses: Set<AddressKind> = [.token], takesText: Bool = false, validatesOnly: Bool = false) {
        self.addresses = addresses
        self.takesText = takesText
        self.validatesOnly = validatesOnly
    }

    /// Whatever a job may say.
    public static let any = JobForm(addresses: Set(AddressKind.allCases), takesText: true, validatesOnly: true)

    /// - Throws: ``JobRejection``, naming the field.
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
