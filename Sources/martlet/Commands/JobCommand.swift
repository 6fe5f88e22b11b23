import AMQPClient
public import ArgumentParser
import DeliveryPipeline
import Foundation
import Logging
import MartletService
public import PushModel

struct JobCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job", abstract: "Push jobs.", subcommands: [Publish.self])

    struct Publish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check a job and publish it; ends when the broker has confirmed it.")

        @Argument(help: "File with the job as JSON; '-' reads standard input.", completion: .file())
        var file: String = "-"

        @Option(help: "urgent, normal or bulk.")
        var lane: Lane = .normal

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let source = try await options.load()
            let body = try readInput(file)
            let job: Job
            do throws(JobRejection) {
                job = try JobDecoder.decode(body, makeID: { UUID().uuidString.lowercased() })
            } catch {
                for fault in error.faults {
                    FileHandle.standardError.write(Data("\(fault.field): \(fault.problem)\n".utf8))
                }
                throw ExitCode.failure
            }
            let names = try source.names()
            let publisher = try AMQPPublisher(
                configuration: try source.broker(), topology: names.topology(delays: RetryPolicy().delays),
                logger: try source.logger("martlet.job", atLeast: .error))
            try await publisher.connectOnce()
            try await publisher.publishAndWait([
                AMQPPublication(
                    id: 1, exchange: names.jobs, routingKey: lane.rawValue, isMandatory: true,
                    properties: AMQPProperties(contentType: "application/json", messageID: job.id), body: body)
            ])
            await publisher.close()
            let addressee = job.isBroadcast ? "for a channel" : "with \(job.recipients.count) recipients"
            print("published job \(job.id) \(addressee) to \(names.queue(of: lane))")
        }
    }
}

extension Lane: ExpressibleByArgument {}
