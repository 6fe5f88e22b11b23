import AMQPClient
import DeliveryPipeline
import MartletConfiguration

/// The check of the broker that a command makes before using it. The check declares nothing.
enum BrokerCheck {
    /// Checks that exchanges and queues exist.
    ///
    /// - Throws: ``BrokerFault`` if an exchange or queue is missing; `AMQPError` if the check fails.
    @discardableResult
    static func require(
        exchanges: [String] = [], queues: [String] = [], by source: ConfigurationSource
    ) async throws -> AMQPInspection {
        let wanted = AMQPTopology(
            exchanges: exchanges.map { AMQPExchange(name: $0, kind: .direct) },
            queues: queues.map { AMQPQueue(name: $0) })
        let found = try await AMQPInspection.look(at: wanted, on: try source.broker())
        if let problem = found.problems.first { throw problem }
        // Each queue must be accessible to the user, because its message count is otherwise unknown. An exchange has no
        // message count, so the check accepts an exchange that the user may not access.
        if let queue = queues.first(where: { found.unseen.contains("queue \($0)") }) {
            throw AMQPError(
                .accessRefused,
                "queue \"\(queue)\": access refused; grant the permissions that 'martlet topology --users' prints"
            )
        }
        guard found.missing.isEmpty else {
            throw BrokerFault(missing: found.missing, provision: try source.provision())
        }
        return found
    }
}

/// The error for exchanges or queues that should exist but are missing.
struct BrokerFault: Error, CustomStringConvertible {
    let missing: [String]
    let provision: AMQPTopology.Provision

    var description: String {
        let remedy =
            switch provision {
            case .declared: "a worker declares it when it starts, and so does 'martlet doctor --declare'"
            case .required(let remedy): remedy
            }
        return "the broker has no \(missing.joined(separator: ", no ")): \(remedy)"
    }
}
