import AMQPClient
import Contract
import DeliveryPipeline
import TestSupport

extension Installation {
    /// Runs `body` while a full queue, which refuses messages, is bound to the results exchange.
    func withFullQueue(boundBy key: String = "#.full", _ body: (_ name: String) async throws -> Void) async throws {
        let queue = AMQPQueue(
            name: "\(names.prefix).full",
            arguments: ["x-queue-type": "quorum", "x-max-length": 1, "x-overflow": "reject-publish"])
        let filling = AMQPExchange(name: "\(names.prefix).filling", kind: .fanout)
        let publisher = try AMQPPublisher(
            configuration: try brokerConfiguration(),
            topology: AMQPTopology(
                exchanges: names.topology(delays: []).exchanges + [filling], queues: [queue],
                bindings: [
                    AMQPBinding(queue: queue.name, exchange: names.results, routingKey: key),
                    AMQPBinding(queue: queue.name, exchange: filling.name, routingKey: ""),
                ]),
            logger: log.logger("full"))
        try await publisher.connectOnce()
        // The limit is soft, so the queue may accept several messages before it refuses one.
        var isFull = false
        while !isFull {
            do throws(AMQPError) {
                try await publisher.publishAndWait([
                    AMQPPublication(id: 1, exchange: filling.name, routingKey: "", body: [1])
                ])
            } catch {
                isFull = true
            }
        }
        await publisher.close()
        try await body(queue.name)
        try await broker.delete(queues: [], exchanges: [filling.name])
    }
}
