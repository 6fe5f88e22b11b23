import AMQPClient
import ArgumentParser
import CommandSupport
import Contract
import DeliveryPipeline
import MartletConfiguration
import Observability
import PushModel

struct DeadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead", abstract: "Manage dead-lettered jobs.",
        subcommands: [List.self, Show.self, Replay.self, Drop.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List dead-lettered jobs and their reasons. The jobs stay in the queue.")

        @OptionGroup var filter: DeadFilter

        @Option(help: "The maximum number of jobs to list.")
        var limit: UInt16 = 100

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            // Only descriptions of the jobs are kept in memory, because jobs may be large.
            var (jobs, areAll) = ([DeadJobDescription](), true)
            try await DeadQueue(options).forEach(filter, doing: "found") { job in
                areAll = jobs.count < Int(limit)
                guard areAll else { return .keepAndEnd }
                jobs.append(DeadJobDescription(job))
                return .keep
            }
            defer {
                if !areAll { printError("more jobs match; to list more than \(limit), pass --limit") }
            }
            if json { return try printJSON(jobs) }
            var table = Table(header: ["JOB", "APP", "LANE", "BYTES", "REASON"])
            for job in jobs {
                table.append([job.id ?? "-", job.app ?? "-", job.lane, "\(job.bytes)", job.reason])
            }
            print(table)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the bodies of dead-lettered jobs as they were published.")

        @OptionGroup var filter: DeadFilter

        @Option(help: "The maximum number of jobs to print.")
        var limit: UInt16 = 1

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            var count = 0
            try await DeadQueue(options).forEach(filter, doing: "found") { job in
                printError("\(job.id ?? "-"): \(job.reason)".printable)
                try printBytes(job.delivery.body + [UInt8(ascii: "\n")])
                count += 1
                return count < Int(limit) ? .keep : .keepAndEnd
            }
            guard count > 0 else {
                printError("no dead job matches")
                throw ExitCode.failure
            }
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publish dead-lettered jobs again and remove them from the queue.",
            discussion: """
                Only jobs that are in the queue at the start are replayed. A job is removed when the broker has confirmed the \
                new one. If the command is interrupted or the connection is lost, no job is lost, but the last jobs may be both \
                published and still in the queue.

                A job whose lane does not exist, such as "urgnt", is replayed only with --to-lane.
                """)

        @OptionGroup var filter: DeadFilter

        @Option(help: "The lane to publish to, instead of each job's original lane.")
        var toLane: Lane?

        @Flag(help: "Report what would be replayed, without replaying it.")
        var dryRun = false

        @OptionGroup var patience: ConfirmTimeoutOption
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let queue = try await DeadQueue(options)
            let publisher = try await queue.publisher(patience)
            var (count, laneless) = (0, LanelessJobs())
            do {
                try await queue.forEach(filter, doing: dryRun ? "found" : "replayed") { job in
                    guard let lane = toLane ?? job.lane else {
                        laneless.add(job)
                        return .keep
                    }
                    if !dryRun {
                        try await publisher.publish(job.replayed(to: lane, names: queue.names, user: queue.user))
                    }
                    count += 1
                    return dryRun ? .keep : .takeOut
                }
            } catch {
                await publisher.close()
                if !dryRun {
                    printError(
                        count > 0
                            ? "replayed \(Phrase.count(count, "job")) before this error; "
                                + "the last one may also still be in the queue"
                            : "replayed no jobs")
                }
                throw error
            }
            await publisher.close()
            print("\(dryRun ? "would replay" : "replayed") \(Phrase.count(count, "job"))")
            if let complaint = laneless.complaint {
                printError(complaint)
                throw ExitCode.failure
            }
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete dead-lettered jobs permanently.")

        @OptionGroup var filter: DeadFilter

        @Flag(help: "Delete all jobs. Required if there is no filter.")
        var all = false

        @Flag(help: "Report what would be dropped, without dropping it.")
        var dryRun = false

        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard all || !filter.isEmpty else { throw ValidationError("pass a filter or --all") }
        }

        func run() async throws {
            var count = 0
            do {
                try await DeadQueue(options).forEach(filter, doing: dryRun ? "found" : "dropped") { _ in
                    count += 1
                    return dryRun ? .keep : .takeOut
                }
            } catch {
                if !dryRun, count > 0 {
                    printError(
                        "dropped up to \(Phrase.count(count, "job")) before this error; the last may still be there")
                }
                throw error
            }
            print("\(dryRun ? "would drop" : "dropped") \(Phrase.count(count, "job"))")
        }
    }
}

/// The dead jobs that were published to a lane that does not exist, as a count and an example.
private struct LanelessJobs {
    private var count = 0
    /// The lane name of the first counted job.
    private var example = ""

    mutating func add(_ job: DeadJob) {
        if count == 0 { example = job.laneName.cut(toBytes: 100) }
        count += 1
    }

    /// A message that explains how to replay the counted jobs, or `nil` if there are none.
    var complaint: String? {
        guard count > 0 else { return nil }
        let lanes = Lane.allCases.map(\.rawValue).joined(separator: ", ")
        return """
            \(Phrase.count(count, "job")) not replayed: no lane is called "\(example)"; replay with \
            --reason 'no lane is called' --to-lane LANE (\(lanes))
            """.printable
    }
}

/// A dead job as `--json` shows it.
private struct DeadJobDescription: Encodable {
    let id, app: String?
    let lane, reason: String
    let bytes: Int

    init(_ job: DeadJob) {
        (id, app, lane, reason) = (job.id, job.app, job.laneName, job.reason)
        bytes = job.delivery.body.count
    }
}
