import AMQPClient
import ArgumentParser
import DeliveryPipeline
import Foundation
import Logging
import MartletService

struct ResultsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "results", abstract: "What became of pushes.", subcommands: [Tail.self])

    struct Tail: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print events as they come, one JSON object a line.",
            discussion:
                "Listens with a queue of its own, which goes when the command ends; other consumers miss nothing.")

        @Option(help: "Routing key pattern, such as *.unregistered.# or apns.*.com.example.shop.")
        var bind = "#"

        @Option(help: "End after so many events.")
        var limit: Int?

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let source = try await options.load()
            let names = try source.names()
            var topology = names.topology(delays: RetryPolicy().delays)
            // Not one that the broker names: users have rights on what begins with the prefix, and on nothing else.
            let queue = "\(names.prefix).tail.\(UUID().uuidString.lowercased())"
            topology.queues.append(
                AMQPQueue(name: queue, isDurable: false, isExclusive: true, isAutoDelete: true))
            topology.bindings.append(AMQPBinding(queue: queue, exchange: names.results, routingKey: bind))
            let deliveries = try await Deliveries(
                of: queue, topology: topology, broker: try source.broker(),
                logger: try source.logger("martlet.results", atLeast: .warning))
            var printed = 0
            for await delivery in deliveries.stream {
                print(String(decoding: delivery.body, as: UTF8.self))
                // Whoever reads this through a pipe wants each line at once.
                fflush(nil)
                deliveries.acknowledge(delivery)
                printed += 1
                if printed == limit { break }
            }
            await deliveries.close()
        }
    }
}
