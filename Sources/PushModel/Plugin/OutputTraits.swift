/// The properties of an output, which all its jobs share. They are read from the plugin once.
package final class OutputTraits: Sendable {
    package let recipients: RecipientForm
    /// The start of the JSON member for the provider's id in a result event, up to the value: `,"discard_id":`.
    package let idMember: [UInt8]
    /// The start of the JSON member for the provider's second id in a result event, up to the value.
    package let uniqueIDMember: [UInt8]

    /// The plugin's ``OutputPlugin/retriesForSeconds``, read once.
    package let retriesForSeconds: Int?
    package let reasons: [String: Outcome.Verdict]
    /// The plugin's ``OutputPlugin/hasFixedHosts``, read once.
    package let hasFixedHosts: Bool

    package init(
        recipients: RecipientForm, eventFields: EventFields, retriesForSeconds: Int? = nil,
        reasons: [String: Outcome.Verdict] = [:], hasFixedHosts: Bool = false
    ) {
        self.hasFixedHosts = hasFixedHosts
        self.recipients = recipients
        self.retriesForSeconds = retriesForSeconds
        self.reasons = reasons
        idMember = Self.member(eventFields.id)
        uniqueIDMember = Self.member(eventFields.uniqueID ?? eventFields.id + "_unique")
    }

    package convenience init(_ plugin: some OutputPlugin) {
        self.init(
            recipients: plugin.recipients, eventFields: plugin.eventFields, retriesForSeconds: plugin.retriesForSeconds,
            reasons: plugin.reasons, hasFixedHosts: plugin.hasFixedHosts)
    }

    /// Traits that belong to no particular output.
    package static let plain = OutputTraits(recipients: .text, eventFields: EventFields(id: "id"))

    private static func member(_ name: String) -> [UInt8] {
        var text = Array(",".utf8)
        JSONText.append(name, to: &text)
        return text + [UInt8(ascii: ":")]
    }
}
