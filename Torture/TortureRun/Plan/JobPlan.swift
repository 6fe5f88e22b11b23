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
        text.firstMatch(of: /torture-([0-9]+)/).flatMap { Int($0.1) }
    }

    package var routingKey: String { traits.flaw == .unknownLane ? "express" : lane.rawValue }
    package var messageID: String? { traits.identity == .asMessageID ? id : nil }
    private var id: String { Self.id(traits.sharesID ? number - 1 : number) }

    package func token(_ index: Int) -> String {
        RecipientID(job: number, index: index).token(recipients[index])
    }

    /// Milliseconds since 1970; an `expires_at` of 0 is now or never.
    package func json(sendAt: Int64? = nil, expiresAt: Int64? = nil) -> String {
        let tokens = recipients.indices.map { "\"\(token($0))\"" }.joined(separator: ",")
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
        fields.append(#""recipients":[\#(traits.flaw == .noRecipients ? "" : tokens)]"#)
        return "{" + fields.joined(separator: ",") + (traits.flaw == .brokenJSON ? "" : "}")
    }
}
