import AMQPClient
import ArgumentParser
import DeliveryPipeline
import Foundation
import MartletService
import PushModel

struct DeadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead", abstract: "Jobs that could not be used.",
        subcommands: [List.self, Show.self, Replay.self, Drop.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List dead-lettered jobs with their reasons; they stay where they are.")

        @OptionGroup var filter: DeadFilter

        @Option(help: "List at most so many.")
        var limit: UInt16 = 100

        @Flag(help: "As JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let queue = try await DeadQueue(options)
            // Not the jobs themselves, which may be large.
            var jobs: [DeadJobDescription] = []
            try await queue.forEach(filter) { job in
                jobs.append(DeadJobDescription(job))
                return jobs.count < Int(limit)
            }
            await queue.close()
            if json { return try printJSON(jobs) }
            var table = Table(header: ["JOB", "APP", "LANE", "BYTES", "REASON"])
            for job in jobs {
                table.append([job.id ?? "-", job.app ?? "-", job.lane, "\(job.bytes)", job.reason])
            }
            print(table.text)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print dead-lettered jobs as they were published, one body after the other.")

        @OptionGroup var filter: DeadFilter

        @Option(help: "Print at most so many.")
        var limit: UInt16 = 1

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let queue = try await DeadQueue(options)
            var count = 0
            try await queue.forEach(filter) { job in
                FileHandle.standardError.write(Data("\(job.id ?? "-"): \(job.reason)\n".utf8))
                FileHandle.standardOutput.write(Data(job.delivery.body + [UInt8(ascii: "\n")]))
                count += 1
                return count < Int(limit)
            }
            await queue.close()
            guard count > 0 else {
                FileHandle.standardError.write(Data("no dead job fits\n".utf8))
                throw ExitCode.failure
            }
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publish dead-lettered jobs again and take them out of the queue.",
            discussion: """
                A job is taken out when the broker has confirmed the new one. Interrupted, none is lost; the last one may \\
                be both published and still dead.
                """)

        @OptionGroup var filter: DeadFilter

        @Option(help: "Into this lane, rather than the one it came from.")
        var toLane: Lane?

        @Flag(help: "Say what would be done.")
        var dryRun = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let queue = try await DeadQueue(options)
            let publisher = try await queue.publisher()
            var count = 0
            do {
                try await queue.forEach(filter) { job in
                    if !dryRun {
                        try await publisher.publishAndWait([
                            job.replayed(to: toLane, names: queue.names, user: queue.user)
                        ])
                        queue.takeOut(job)
                    }
                    count += 1
                    return true
                }
            } catch {
                FileHandle.standardError.write(Data("replayed \(count) jobs before this\n".utf8))
                await queue.close()
                throw error
            }
            await publisher.close()
            await queue.close()
            print(dryRun ? "would replay \(count) jobs" : "replayed \(count) jobs")
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete dead-lettered jobs for good.")

        @OptionGroup var filter: DeadFilter

        @Flag(help: "Delete all of them, where no filter is given.")
        var all = false

        @Flag(help: "Say what would be done.")
        var dryRun = false

        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard all || !filter.isEmpty else { throw ValidationError("say which ones, or --all") }
        }

        func run() async throws {
            let queue = try await DeadQueue(options)
            var count = 0
            try await queue.forEach(filter) { job in
                if !dryRun { queue.takeOut(job) }
                count += 1
                return true
            }
            await queue.close()
            print(dryRun ? "would drop \(count) jobs" : "dropped \(count) jobs")
        }
    }
}

/// A dead job as `--json` shows it.
private struct DeadJobDescription: Encodable {
    let id, app: String?
    let lane, reason: String
    let bytes: Int

    init(_ job: DeadJob) {
        (id, app, lane, reason) = (job.id, job.app, job.lane.rawValue, job.reason)
        bytes = job.delivery.body.count
    }
}
