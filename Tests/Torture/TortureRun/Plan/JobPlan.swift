package import PushModel

/// A job to publish.
package struct JobPlan: Sendable {
    package let number: Int
    package let output: OutputKind
    package let app: String
    package let lane: Lane
    package let recipients: [RecipientKind]
    package let traits: JobTraits

    package static func id(_ number: Int) -> String { "torture-\(number)" }

    /// Returns the number of the job that a text mentions, or `nil` if it mentions none.
    package static func number(in text: String) -> Int? {
        // The payload contains the job's own number. The id may be the id of another job.
        (text.firstMatch(of: /job torture-([0-9]+)/) ?? text.firstMatch(of: /torture-([0-9]+)/)).flatMap { Int($0.1) }
    }

    package var routingKey: String { traits.flaw == .unknownLane ? "express" : lane.rawValue }
    package var messageID: String? { traits.identity == .asMessageID ? id : nil }
    /// The number of the job whose id this job uses.
    package var namesake: Int {
        traits.flaw == .takenID ? JobNumber.followed(number) : traits.sharesID ? number - 1 : number
    }
    private var id: String { Self.id(namesake) }

    private func recipient(_ index: Int, _ subscribe: Subscribe) -> String {
        let (id, kind) = (RecipientID(job: number, index: index), recipients[index])
        let address =
            switch output {
            case .apns: Address(token: id.deviceToken(kind))
            case .fcm: id.fcmTarget(kind)
            case .webpush: Address("subscription", json: subscribe(id, kind, app) ?? "null")
            case .webhook: Address(token: id.receiverToken(kind))
            }
        return address.recipient(ref: traits.refBytes.map { id.ref($0) })
    }

    private var payload: String {
        let text = "job \(Self.id(number))"
        return switch output {
        case .apns: #"{"aps":{"alert":"\#(text)"}}"#
        case .fcm: #"{"notification":{"body":"\#(text)"}}"#
        case .webpush: #"{"title":"\#(text)"}"#
        case .webhook: "\"\(text)\""
        }
    }

    /// Returns the job as JSON.
    ///
    /// - Parameters:
    ///   - sendAt: the value of `send_at` in milliseconds since 1970, or `nil` for none.
    ///   - expiresAt: the value of `expires_at` in milliseconds since 1970, or `nil` for none. With 0, a push is
    ///     delivered immediately or never.
    package func json(sendAt: Int64? = nil, expiresAt: Int64? = nil, subscribe: Subscribe) -> String {
        let recipients = recipients.indices.map { recipient($0, subscribe) }.joined(separator: ",")
        var fields = [
            #""app":"\#(traits.flaw == .unknownApp ? "com.example.nobody" : app)""#,
            #""payload":\#(payload)"#,
        ]
        if output != .apns { fields.append(#""output":"\#(output.rawValue)""#) }
        if traits.identity == .inBody { fields.append(#""id":"\#(id)""#) }
        if traits.isAtMostOnce { fields.append(#""at_most_once":true"#) }
        if traits.wantsProblemsOnly { fields.append(#""results":"problems""#) }
        if let rate = traits.rate { fields.append(#""rate":\#(rate)"#) }
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
