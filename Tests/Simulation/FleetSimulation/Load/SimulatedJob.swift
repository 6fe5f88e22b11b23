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

    var id: String { "job-\(number)" }

    var body: [UInt8] {
        var text = #"{"id":"\#(id)","app":"\#(tenant.bundleID)","payload":{"aps":{"alert":"Hi"}},"#
        if isAtMostOnce { text += #""at_most_once":true,"# }
        if isScheduled { text += #""send_at":"\#(Fleet.timestamp(dueAt).rfc3339)","# }
        text += #""recipients":["#
        text += tokens.map { "\"\($0.text)\"" }.joined(separator: ",") + "]}"
        return Array(text.utf8)
    }
}
