package import AMQPClient

/// The policies of a broker that endanger jobs in Martlet's queues. A value type without clock or I/O.
///
/// If a policy and a declaration both set a number, RabbitMQ uses the lower one. If both set `overflow`, RabbitMQ uses
/// the policy's value. Keys that only the policy sets, such as the dead-letter routing key, also apply
/// (docs/brokers.md, "Policies").
package struct PolicyCheck: Sendable, Hashable {
    /// The policies in force on one queue.
    package struct Policy: Sendable, Hashable {
        package let queue: String
        /// The names of the policies, for messages to operators.
        package let names: [String]
        package let numbers: [String: Int]
        package let texts: [String: String]

        package init(queue: String, names: [String], numbers: [String: Int], texts: [String: String]) {
            (self.queue, self.names, self.numbers, self.texts) = (queue, names, numbers, texts)
        }
    }

    /// The problems found: one sentence for each policy, key and consequence, with the affected queues.
    package private(set) var dangers: [String] = []

    /// Checks policies.
    ///
    /// - Parameter jobs: the exchange to which publishers publish jobs. A queue that is bound to it may have a length
    ///   limit with the overflow `reject-publish`, because the broker reports a refused job to its publisher. Any other
    ///   full queue would refuse jobs of workers and of delay queues.
    package init(_ topology: AMQPTopology, jobs: String, _ policies: [Policy]) {
        var queues: [String: [String]] = [:]
        for policy in policies {
            guard let queue = topology.queues.first(where: { $0.name == policy.queue }) else { continue }
            let names = policy.names.isEmpty ? "a policy" : "policy \(policy.names.joined(separator: " and "))"
            let isPublishers = topology.bindings.contains { $0.exchange == jobs && $0.queue == queue.name }
            for danger in Self.dangers(policy, to: queue, mayBeFull: isPublishers) {
                queues["\(names) sets \(danger)", default: []].append(queue.name)
            }
        }
        dangers = queues.keys.sorted().map { "\($0): \(Self.some(queues[$0] ?? []))" }
    }

    private static func dangers(_ policy: Policy, to queue: AMQPQueue, mayBeFull: Bool) -> [String] {
        var dangers: [String] = []
        func add(_ key: String, _ consequence: String) {
            let value = policy.numbers[key].map(String.init) ?? policy.texts[key] ?? ""
            dangers.append("\(key) \(value), which \(consequence)")
        }
        let isKept = queue.arguments["x-dead-letter-exchange"] == nil
        let stay = queue.arguments["x-message-ttl"]?.integer.map { Int(clamping: $0) }
        let overflow = policy.texts["overflow"] ?? queue.arguments["x-overflow"]?.string ?? "drop-head"
        if policy.numbers["expires"] != nil {
            add("expires", "deletes the queue and its messages while it has no consumer")
        }
        if let limit = policy.numbers["message-ttl"], limit < stay ?? .max {
            add(
                "message-ttl",
                stay != nil
                    ? "returns jobs early"
                    : isKept ? "deletes messages that wait longer" : "dead-letters jobs that wait longer")
        }
        for key in ["max-length", "max-length-bytes"] {
            let own = queue.arguments["x-\(key)"]?.integer.map { Int(clamping: $0) }
            guard let limit = policy.numbers[key], limit < own ?? .max else { continue }
            if overflow != "reject-publish" {
                add(key, "deletes the oldest messages")
            } else if !mayBeFull {
                add(key, "refuses jobs that should wait there")
            }
        }
        if overflow != "reject-publish", policy.texts["overflow"] != nil, !isKept {
            add("overflow", "forwards dead letters at most once")
        }
        if let limit = policy.numbers["delivery-limit"], limit >= 0,
            let own = queue.arguments["x-delivery-limit"]?.integer, Int64(limit) < own
        {
            add("delivery-limit", isKept ? "deletes jobs read that many times" : "dead-letters jobs too early")
        }
        if policy.texts["dead-letter-routing-key"] != nil, !isKept {
            add("dead-letter-routing-key", "sends jobs that leave the queue to another lane")
        }
        return dangers
    }

    private static func some(_ names: [String]) -> String {
        let shown = names.prefix(3).joined(separator: ", ")
        return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
    }
}
