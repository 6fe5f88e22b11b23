import PushModel

/// A job of a simulated tenant.
struct SimulatedJob {
    let number: Int
    let tenant: Tenant
    let lane: Lane
    let tokens: [SimulatedToken]
    /// The time from which the pushes may be sent, in milliseconds since the start of the history.
    let dueAt: Int64
    /// Whether the job has a `send_at`.
    let isScheduled: Bool
    let isAtMostOnce: Bool

    /// The message that publishes the job.
    let body: [UInt8]

    var id: String { "job-\(number)" }

    init(
        number: Int, tenant: Tenant, lane: Lane, tokens: [SimulatedToken], dueAt: Int64, isScheduled: Bool,
        isAtMostOnce: Bool
    ) {
        (self.number, self.tenant, self.lane, self.tokens) = (number, tenant, lane, tokens)
        (self.dueAt, self.isScheduled, self.isAtMostOnce) = (dueAt, isScheduled, isAtMostOnce)
        var start = #"{"id":"job-\#(number)","app":"\#(tenant.bundleID)","payload":{"aps":{"alert":"Hi"}},"#
        if isAtMostOnce { start += #""at_most_once":true,"# }
        if isScheduled { start += #""send_at":"\#(Fleet.timestamp(dueAt).rfc3339)","# }
        var body = Array((start + #""recipients":["#).utf8)
        for (index, token) in tokens.enumerated() {
            body.append(contentsOf: (index == 0 ? "\"" : ",\"").utf8)
            token.write(to: &body)
            body.append(UInt8(ascii: "\""))
        }
        body.append(contentsOf: "]}".utf8)
        self.body = body
    }
}
