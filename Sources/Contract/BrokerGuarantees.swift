import AMQPClient

/// The guarantees of a broker, as far as they follow from its product and version.
package struct BrokerGuarantees: Sendable, Hashable {
    package let isRabbitMQ: Bool
    /// The known weaknesses of the broker, as sentences.
    package let weaknesses: [String]
    /// Whether a consumer can set the time that a delivery may stay unsettled, overriding the broker's settings.
    package let takesConsumerTimeouts: Bool
    /// The default limit on the message size in bytes, or `nil` if it is unknown.
    package let standardMessageSize: Int?

    /// Derives the guarantees of a broker.
    ///
    /// - Parameter product: the broker's product and version, for example `RabbitMQ 4.1.2`.
    package init(product: String) {
        let words = product.split(separator: " ").map(String.init)
        let version = words.dropFirst().first.flatMap(BrokerVersion.init)
        isRabbitMQ = product.hasPrefix("RabbitMQ ")
        takesConsumerTimeouts = isRabbitMQ && version.map { $0 >= BrokerVersion(major: 4, minor: 3) } == true
        standardMessageSize = isRabbitMQ ? version.map { $0.major >= 4 ? 16 << 20 : 128 << 20 } : nil
        if product.hasPrefix("LavinMQ ") {
            weaknesses = [
                "LavinMQ has no x-dead-letter-strategy: it dead-letters at most once, so delayed and dropped "
                    + "jobs may be lost",
                "LavinMQ replaces quorum queues with queues of its own type, which may redeliver jobs that crash "
                    + "workers without a limit",
            ]
        } else if !isRabbitMQ {
            weaknesses = ["Martlet was never tested with this broker"]
        } else if let version, version < BrokerVersion(major: 3, minor: 10) {
            weaknesses = ["RabbitMQ before 3.10 dead-letters messages at most once"]
        } else {
            weaknesses = []
        }
    }
}
