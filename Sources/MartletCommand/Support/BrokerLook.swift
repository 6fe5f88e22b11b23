import AMQPClient
import DeliveryPipeline
import MartletService

/// What a command finds in the broker before it uses it. Nothing is declared by looking.
enum BrokerLook {
    /// - Throws: ``BrokerFault`` naming what is missing, ``AMQPError``.
    @discardableResult
    static func require(
        exchanges: [String] = [], queues: [String] = [], by source: ConfigurationSource
    ) async throws -> AMQPInspection {
        let wanted = AMQPTopology(
            exchanges: exchanges.map { AMQPExchange(name: $0, kind: .direct) },
            queues: queues.map { AMQPQueue(name: $0) })
        let found = try await AMQPInspection.look(at: wanted, on: try source.broker())
        if let problem = found.problems.first { throw problem }
        // Without permission the contents of a queue are unknown. An exchange has no contents to read.
        if let queue = queues.first(where: { found.unseen.contains("queue \($0)") }) {
            throw AMQPError(
                .accessRefused,
                "Looking for queue \"\(queue)\": access refused; grant the permissions that 'martlet topology --users' prints"
            )
        }
        guard found.missing.isEmpty else {
            throw BrokerFault(missing: found.missing, provision: try source.provision())
        }
        return found
    }
}

/// Something that should have been made before is not there.
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
