/// What of an output goes with each of its jobs, asked of its plugin once.
package final class OutputTraits: Sendable {
    package let recipients: RecipientForm
    /// Members of an outcome in an event, as far as the value: `,"discard_id":`.
    package let idMember: [UInt8]
    package let uniqueIDMember: [UInt8]

    /// As in ``OutputPlugin``.
    package let retriesForSeconds: Int?
    package let reasons: [String: Outcome.Verdict]

    package init(
        recipients: RecipientForm, eventFields: EventFields, retriesForSeconds: Int? = nil,
        reasons: [String: Outcome.Verdict] = [:]
    ) {
        self.recipients = recipients
        self.retriesForSeconds = retriesForSeconds
        self.reasons = reasons
        idMember = Self.member(eventFields.id)
        uniqueIDMember = Self.member(eventFields.uniqueID ?? eventFields.id + "_unique")
    }

    package convenience init(_ plugin: some OutputPlugin) {
        self.init(
            recipients: plugin.recipients, eventFields: plugin.eventFields, retriesForSeconds: plugin.retriesForSeconds,
            reasons: plugin.reasons)
    }

    /// Of no output in particular.
    package static let plain = OutputTraits(recipients: .text, eventFields: EventFields(id: "id"))

    private static func member(_ name: String) -> [UInt8] {
        var text = Array(",".utf8)
        JSONText.append(name, to: &text)
        return text + [UInt8(ascii: ":")]
    }
}
