package import PushModel

/// A job that will be published.
package struct JobPlan: Sendable {
    package let number: Int
    package let app: String
    package let lane: Lane
    package let recipients: [RecipientKind]
    package let traits: JobTraits

    package static func id(_ number: Int) -> String { "torture-\(number)" }

    /// The job that a text speaks of.
    package static func number(in text: String) -> Int? {
        // Its alert's, rather than that of the job whose id it has.
        (text.firstMatch(of: /job torture-([0-9]+)/) ?? text.firstMatch(of: /torture-([0-9]+)/)).flatMap { Int($0.1) }
    }

    package var routingKey: String { traits.flaw == .unknownLane ? "express" : lane.rawValue }
    package var messageID: String? { traits.identity == .asMessageID ? id : nil }
    /// The job whose id it has.
    package var namesake: Int {
        traits.flaw == .takenID ? JobNumber.followed(number) : traits.sharesID ? number - 1 : number
    }
    private var id: String { Self.id(namesake) }

    package func token(_ index: Int) -> String {
        RecipientID(job: number, index: index).token(recipients[index])
    }

    private func recipient(_ index: Int) -> String {
        guard let bytes = traits.refBytes else { return "\"\(token(index))\"" }
        return #"{"token":"\#(token(index))","ref":"\#(RecipientID(job: number, index: index).ref(bytes))"}"#
    }

    /// Milliseconds since 1970; an `expires_at` of 0 is now or never.
    package func json(sendAt: Int64? = nil, expiresAt: Int64? = nil) -> String {
        let recipients = recipients.indices.map(recipient).joined(separator: ",")
        var fields = [
            #""app":"\#(traits.flaw == .unknownApp ? "com.example.nobody" : app)""#,
            #""payload":{"aps":{"alert":"job \#(Self.id(number))"}}"#,
        ]
        if traits.identity == .inBody { fields.append(#""id":"\#(id)""#) }
        if traits.isAtMostOnce { fields.append(#""at_most_once":true"#) }
        if traits.wantsProblemsOnly { fields.append(#""results":"problems""#) }
        if let sendAt { fields.append(#""send_at":"\#(Timestamp(milliseconds: sendAt).rfc3339)""#) }
        if let expiresAt {
            fields.append(
                #""expires_at":"# + (expiresAt == 0 ? "0" : "\"\(Timestamp(milliseconds: expiresAt).rfc3339)\""))
        }
        if traits.flaw == .unknownField { fields.append(#""priorty":10"#) }
        fields.append(#""recipients":[\#(traits.flaw == .noRecipients ? "" : recipients)]"#)
        return "{" + fields.joined(separator: ",") + (traits.flaw == .brokenJSON ? "" : "}")
    }
}
