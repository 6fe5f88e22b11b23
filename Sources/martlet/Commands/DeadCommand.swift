import AMQPClient
import ArgumentParser
import DeliveryPipeline
import Logging
import MartletService

struct DeadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead", abstract: "Jobs that could not be used.", subcommands: [List.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List dead-lettered jobs with their reasons; they stay where they are.")

        @Option(help: "List at most so many.")
        var limit: UInt16 = 100

        @Flag(help: "As JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let source = try await options.load()
            let names = try source.names()
            let deliveries = try await Deliveries(
                of: names.dead, topology: names.topology(delays: RetryPolicy().delays), broker: try source.broker(),
                prefetch: max(1, limit), logger: try source.logger("martlet.dead", atLeast: .warning))
            let jobs = await read(deliveries)
            await deliveries.close()
            if json { return try printJSON(jobs) }
            var table = Table(header: ["JOB", "LANE", "BYTES", "REASON"])
            for job in jobs { table.append([job.id ?? "-", job.lane, "\(job.bytes)", job.reason]) }
            print(table.text)
        }

        /// The broker does not say when a queue has no more: half a second without a message is taken for it.
        private func read(_ deliveries: Deliveries) async -> [DeadJob] {
            await withTaskGroup(of: DeadJob?.self) { group in
                var jobs: [DeadJob] = []
                let (found, continuation) = AsyncStream.makeStream(of: DeadJob?.self)
                group.addTask {
                    for await delivery in deliveries.stream { continuation.yield(DeadJob(delivery)) }
                    continuation.finish()
                    return nil
                }
                var quiet = Task {
                    try await Task.sleep(for: .milliseconds(1_000)); continuation.yield(nil)
                }
                for await job in found {
                    guard let job else { break }
                    jobs.append(job)
                    if jobs.count >= Int(limit) { break }
                    quiet.cancel()
                    quiet = Task {
                        try await Task.sleep(for: .milliseconds(500)); continuation.yield(nil)
                    }
                }
                quiet.cancel()
                group.cancelAll()
                return jobs
            }
        }
    }
}

private struct DeadJob: Encodable {
    let id: String?
    let lane: String
    let bytes: Int
    let reason: String

    init(_ delivery: AMQPDelivery) {
        let headers = delivery.properties.headers
        id = delivery.properties.messageID
        lane = delivery.routingKey
        bytes = delivery.body.count
        // Without our header it was the broker that gave the job up.
        reason = headers[JobHeader.reason]?.string ?? headers["x-first-death-reason"]?.string ?? "unroutable"
    }
}
