package import AMQPClient
package import Contract
import DeliveryPipeline
import PushModel

/// The keys of the broker.
extension ConfigurationKey {
    package static let amqpURL = ConfigurationKey(
        "amqp.url", example: "amqps://martlet:secret@rabbit-1.example.net,rabbit-2.example.net/push", isRequired: true,
        isSecret: true,
        "[URL](#options-of-amqpurl) of RabbitMQ: `amqp://` or `amqps://user:password@host[:port][,host…]/vhost`")
    package static let amqpPrefix = ConfigurationKey(
        "amqp.prefix", default: PipelineNames().prefix,
        "prefix of the names of all exchanges and queues; a [second fleet](scale.md#a-second-fleet) needs "
            + "another prefix")
    static let amqpDeclare = ConfigurationKey(
        "amqp.declare", .boolean, default: "true",
        "whether workers declare missing exchanges and queues, or wait until the "
            + "[topology](brokers.md#fixed-topology) exists")
    package static let amqpCAFile = ConfigurationKey(
        "amqp.ca_file", example: "/etc/martlet/rabbitmq-ca.pem",
        "PEM file with the authorities to trust for `amqps` instead of the system's")
    static let amqpPrefetchUrgent = ConfigurationKey(
        "amqp.prefetch.urgent", .integer(1...65_535), default: "1000", isAdvanced: true,
        "maximum unacknowledged jobs that a worker takes from each queue of `urgent`")
    static let amqpPrefetchNormal = ConfigurationKey(
        "amqp.prefetch.normal", .integer(1...65_535), default: "4000", isAdvanced: true,
        "maximum unacknowledged jobs that a worker takes from each queue of `normal`")
    static let amqpPrefetchBulk = ConfigurationKey(
        "amqp.prefetch.bulk", .integer(1...65_535), default: "100", isAdvanced: true,
        "maximum unacknowledged jobs that a worker takes from each queue of `bulk`")
    static let amqpPrefetchBytes = ConfigurationKey(
        "amqp.prefetch.bytes", .integer(1_000_000...17_179_869_184), default: "33554432", unit: .bytes,
        isAdvanced: true, "maximum [size](#memory) of the jobs on each of a worker's four consuming connections")

    static let broker = [
        amqpURL, amqpPrefix, amqpDeclare, amqpCAFile, amqpPrefetchUrgent, amqpPrefetchNormal, amqpPrefetchBulk,
        amqpPrefetchBytes,
    ]
}

extension ConfigurationSource {
    package func broker() throws -> AMQPConfiguration {
        do {
            let url = try required(.amqpURL)
            var broker = try AMQPConfiguration(url: url)
            if let file = string(.amqpCAFile), !file.isEmpty { broker.tls?.authorityFile = file }
            if let path = secretFiles[.amqpURL] { try broker.readPasswordAgain(from: path, first: url) }
            return broker
        } catch let error as AMQPError {
            throw ConfigurationError(.amqpURL, error.message)
        }
    }

    package func names() throws -> PipelineNames {
        let prefix = try required(.amqpPrefix)
        // An AMQP name has at most 255 bytes, and Martlet appends its own names to the prefix.
        guard prefix.utf8.count <= 100 else { throw ConfigurationError(.amqpPrefix, "has more than 100 bytes") }
        return PipelineNames(prefix: prefix)
    }

    /// Returns whether workers declare exchanges and queues, or require that an operator has declared them.
    package func provision() throws -> AMQPTopology.Provision {
        try boolean(.amqpDeclare)
            ? .declared
            : .required(remedy: "with amqp.declare: false an administrator creates it; 'martlet topology' prints it")
    }

    func prefetch() throws -> [Lane: Int] {
        [
            .urgent: try integer(.amqpPrefetchUrgent), .normal: try integer(.amqpPrefetchNormal),
            .bulk: try integer(.amqpPrefetchBulk),
        ]
    }
}
