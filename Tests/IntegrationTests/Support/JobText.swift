/// A job as a publisher writes it.
struct JobText: Sendable {
    struct Recipient: Sendable {
        var token: String
        var ref: String?
        /// Seconds since 1970.
        var registeredAt: Int?
        var payload: String?

        var json: String {
            guard ref != nil || registeredAt != nil || payload != nil else { return "\"\(token)\"" }
            var members = ["\"token\":\"\(token)\""]
            if let ref { members.append("\"ref\":\"\(ref)\"") }
            if let registeredAt { members.append("\"registered_at\":\(registeredAt)") }
            if let payload { members.append("\"payload\":\(payload)") }
            return "{\(members.joined(separator: ","))}"
        }
    }

    var id: String
    var app: String
    var recipients: [Recipient]
    /// With spaces and escapes that no encoder would write: it must arrive as it is.
    var payload = #"{"aps" : {"alert":"\u0068ello"}}"#
    /// Further members, each with its comma in front.
    var more = ""

    init(_ id: String, app: String, to tokens: [String], more: String = "") {
        self.id = id
        self.app = app
        recipients = tokens.map { Recipient(token: $0) }
        self.more = more
    }

    var json: String {
        """
        {"id":"\(id)","app":"\(app)","payload":\(payload)\(more),\
        "recipients":[\(recipients.map(\.json).joined(separator: ","))]}
        """
    }
}

/// Device tokens, 64 hex digits each. The first ones choose the simulator's answer (docs/simulator.md).
enum Token {
    static func random(_ prefix: String = "") -> String {
        var token = prefix
        while token.count < 64 { token += String(UInt64.random(in: 0 ... .max), radix: 16) }
        return String(token.prefix(64))
    }

    static func random(_ prefix: String = "", count: Int) -> [String] { (0..<count).map { _ in random(prefix) } }

    static let dead = "dead0410"
    /// Died 30 days ago.
    static let longDead = "dead2410"
    static let expired = "dead1410"
    static let bad = "bad00400"
    static let notForTopic = "bad01400"
    static let never = "deafdeaf"

    /// Accepted after so many milliseconds.
    static func slow(_ milliseconds: Int) -> String {
        let digits = String(milliseconds)
        return "de1ade1a" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
