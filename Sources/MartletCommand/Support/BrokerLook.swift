import AMQPClient
import DeliveryPipeline

/// What a command finds in the broker before it uses it. Nothing is declared by looking.
enum BrokerLook {
    /// - Throws: ``BrokerFault`` naming what is missing, ``AMQPError``.
    @discardableResult
    static func require(
        exchanges: [String] = [], queues: [String] = [], on broker: AMQPConfiguration
    ) async throws -> AMQPInspection {
        let wanted = AMQPTopology(
            exchanges: exchanges.map { AMQPExchange(name: $0, kind: .direct) },
            queues: queues.map { AMQPQueue(name: $0) })
        let found = try await AMQPInspection.look(at: wanted, on: broker)
        if let problem = found.problems.first { throw problem }
        guard found.missing.isEmpty else { throw BrokerFault(missing: found.missing) }
        return found
    }
}

/// Something that a worker would have declared is not there.
struct BrokerFault: Error, CustomStringConvertible {
    let missing: [String]

    var description: String {
        "the broker has no \(missing.joined(separator: ", no ")): a worker declares it when it starts, and so does 'martlet doctor --declare'"
    }
}
