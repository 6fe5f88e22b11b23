package import AMQPClient

extension PipelineNames {
    /// The name of the queue from which the ledger receives result events.
    package var ledger: String { "\(prefix).ledger" }

    /// The declaration of the ledger's queue. At a size of 1 GiB the queue drops its oldest events, so that a stopped
    /// ledger never blocks workers.
    package var ledgerTopology: AMQPTopology {
        AMQPTopology(
            queues: [
                AMQPQueue(
                    name: ledger,
                    arguments: [
                        "x-queue-type": "quorum", "x-overflow": "drop-head", "x-max-length-bytes": .int64(1 << 30),
                        "x-delivery-limit": .int64(1_000_000),
                    ])
            ],
            bindings: [AMQPBinding(queue: ledger, exchange: results, routingKey: "#")])
    }
}
