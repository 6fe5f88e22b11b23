import AMQPClient
import ArgumentParser
import CommandSupport
import Contract
import DeliveryPipeline
import Foundation
import Logging
import MartletConfiguration

struct ResultsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "results", abstract: "Read result events.", subcommands: [Tail.self])

    struct Tail: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print result events as they are published, one JSON object per line.",
            discussion:
                "The command declares its own queue and deletes it at the end, so other consumers miss nothing.")

        @Option(help: "Routing key pattern, such as *.unregistered.# or *.*.com.example.shop.")
        var bind = "#"

        @Option(help: "Exit after this many events.")
        var limit: Int?

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let source = try await options.load()
            let names = try source.names()
            let broker = try source.broker()
            try await BrokerCheck.require(exchanges: [names.results], by: source)
            // The command names the queue itself, because users have permissions only on names that begin with the
            // prefix.
            let tail = AMQPQueue(
                name: "\(names.prefix).tail.\(UUID().uuidString.lowercased())", isDurable: false, isExclusive: true,
                isAutoDelete: true)
            let deliveries = try await Deliveries(
                of: tail.name,
                topology: AMQPTopology(
                    queues: [tail],
                    bindings: [AMQPBinding(queue: tail.name, exchange: names.results, routingKey: bind)]),
                broker: broker, prefetch: 100, endsWithConnection: false,
                logger: try source.logger("martlet.results", atLeast: .warning))
            // The queue receives every matching event from now on. A script can wait for this line before it publishes.
            printError("listening for \(bind)")
            var printed = 0
            for try await case let delivery? in deliveries.stream {
                print(json: String(decoding: delivery.body, as: UTF8.self))
                flushOutput()
                deliveries.release(delivery)
                deliveries.acknowledge(delivery)
                printed += 1
                if printed == limit { break }
            }
            await deliveries.close()
        }
    }
}
