/// A job as a publisher writes it.
struct JobText: Sendable {
    struct Recipient: Sendable {
        var token: String
        var ref: String?
        /// The time of the registration, in seconds since 1970.
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
    /// The payload. It has spaces and an escape that no encoder writes, because it must arrive unchanged.
    var payload = #"{"aps" : {"alert":"\u0068ello"}}"#
    /// Further members of the job, each preceded by a comma.
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

/// Device tokens of 64 hexadecimal digits. Their first digits select the simulator's answer (docs/simulator-apns.md).
enum Token {
    static func random(_ prefix: String = "") -> String {
        var token = prefix
        while token.count < 64 { token += String(UInt64.random(in: 0 ... .max), radix: 16) }
        return String(token.prefix(64))
    }

    static func random(_ prefix: String = "", count: Int) -> [String] { (0..<count).map { _ in random(prefix) } }

    static let dead = "dead0410"
    /// The prefix of tokens that have been dead for 30 days.
    static let longDead = "dead2410"
    static let expired = "dead1410"
    static let bad = "bad00400"
    static let notForTopic = "bad01400"
    static let never = "deafdeaf"

    /// Returns the prefix of tokens that are accepted after this number of milliseconds.
    static func slow(_ milliseconds: Int) -> String {
        let digits = String(milliseconds)
        return "de1ade1a" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
