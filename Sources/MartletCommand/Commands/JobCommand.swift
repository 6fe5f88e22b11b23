import AMQPClient
public import ArgumentParser
import CommandSupport
import Contract
import DeliveryPipeline
import Foundation
import Logging
import MartletConfiguration
import Observability
public import PushModel
import Store

struct JobCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job", abstract: "Publish and cancel jobs.", subcommands: [Publish.self, Cancel.self])

    struct Publish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check a job, publish it and wait for the broker's confirm.",
            discussion: """
                Exits with 1 if the broker does not confirm the job in time. The job may still be published, even later when \
                an alarm ends. To be safe, publish it again with the same id, and set jobs.deduplication_window.
                """)

        @Argument(help: "The file with the job (JSON); '-' reads standard input.", completion: .file())
        var file: String = "-"

        @Option(help: "The lane: urgent, normal or bulk.")
        var lane: Lane = .normal

        @Option(
            help: ArgumentHelp(
                "Print the outcome of each recipient for up to this many seconds. Exits with 1 unless all were sent.",
                valueName: "seconds"))
        var wait: Int?

        @OptionGroup var patience: ConfirmTimeoutOption
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard (1...86_400).contains(wait ?? 1) else { throw ValidationError("--wait: must be 1 to 86400") }
        }

        func run() async throws {
            let source = try await options.load()
            let pipeline = try source.pipeline()
            let limit = pipeline.limits.maximumJobBytes
            guard let body = try readInput(file, upTo: limit) else {
                printError("body: is larger than jobs.maximum_bytes (\(limit) bytes)")
                throw ExitCode.failure
            }
            let job: Job
            do throws(JobRejection) {
                job = try pipeline.decode(body, messageID: nil, now: .now, makeID: { UUID().uuidString.lowercased() })
                try check(job)
            } catch {
                for fault in error.faults { printError("\(fault.field): \(fault.problem)".printable) }
                throw ExitCode.failure
            }
            guard let wait else { return try await publish(job, body, pipeline.names, source) }
            guard job.results == .all else {
                throw ValidationError("--wait: the job sets results: problems, so no sent outcomes are published")
            }
            try await BrokerCheck.require(exchanges: [pipeline.names.results], by: source)
            let awaited = AwaitedOutcomes(job, body: body)
            let watch = try await OutcomePrinter(
                awaited, of: job, pipeline.names, try source.broker(),
                logger: try source.logger("martlet.job", atLeast: .error))
            try await publish(
                job, body, pipeline.names, source, headers: [JobHeader.traceparent: .string(awaited.traceparent)])
            flushOutput()
            let allSent = try await watch.print(
                within: .seconds(wait), mayBeCopy: pipeline.limits.deduplicationWindow > 0)
            await watch.close()
            guard allSent else { throw ExitCode.failure }
        }

        private func publish(
            _ job: Job, _ body: [UInt8], _ names: PipelineNames, _ source: ConfigurationSource,
            headers: AMQPFieldTable = [:]
        ) async throws {
            let broker = try source.broker()
            try await BrokerCheck.require(exchanges: [names.jobs], by: source)
            let publisher = try await ConfirmingPublisher(
                broker, patience, logger: try source.logger("martlet.job", atLeast: .error))
            // The job names its user, because an app may accept jobs only from certain users. The broker verifies the
            // user id.
            let properties = AMQPProperties(
                contentType: "application/json", headers: headers, deliveryMode: .persistent, messageID: job.id,
                userID: broker.user)
            do {
                try await publisher.publish(
                    AMQPPublication(
                        id: 1, exchange: names.jobs, routingKey: lane.rawValue, isMandatory: true,
                        properties: properties, body: body))
            } catch {
                await publisher.close()
                throw error
            }
            await publisher.close()
            let recipients = Phrase.count(job.recipients.count, "recipient")
            let addressee = job.isBroadcast ? "for a channel" : "with \(recipients)"
            print("published job \(job.id) \(addressee) to \(names.queue(of: lane))")
        }

        /// Checks the job with the rules of its output, as a worker does.
        private func check(_ job: Job) throws(JobRejection) {
            guard let plugin = Martlet.installed.first(where: { $0.name == job.output }) else {
                let names = Martlet.installed.map(\.name).joined(separator: ", ")
                throw job.rejected("output", "is \(job.output), but must be one of: \(names)")
            }
            try plugin.jobs.check(job)
        }
    }
}

extension JobCommand {
    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Cancel jobs that are scheduled, waiting or being sent.",
            discussion: """
                Recipients that are not on the wire 5 seconds later are not sent. Their outcome is failed with the reason \
                Cancelled. It is published at once if a worker has the job, otherwise when a worker gets it.
                """)

        @Argument(help: "The ids of the jobs.")
        var ids: [String]

        @Flag(help: "Undo the cancellation. Recipients that are still in the broker are sent.")
        var undo = false

        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            if ids.contains("") { throw ValidationError("ids: one is empty") }
        }

        func run() async throws {
            try await withDatabase(options, for: "job") { _, pool in
                let cancellations = CancellationRepository(pool)
                for id in ids {
                    let isNew = try await undo ? cancellations.restore(id) : cancellations.cancel(id)
                    switch (undo, isNew) {
                    case (false, true): print("cancelled job \(id)")
                    case (false, false): print("job \(id) was already cancelled")
                    case (true, true): print("job \(id) is no longer cancelled")
                    case (true, false): print("job \(id) was not cancelled")
                    }
                }
                await FleetNote.print(pool)
            }
        }
    }
}

extension Lane: ExpressibleByArgument {}
