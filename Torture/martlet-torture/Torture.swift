import ArgumentParser
import Foundation
import Glibc
import TortureRun

/// The command of `make torture` (docs/torture.md).
@main
struct Torture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-torture", abstract: "Disturbs a fleet of workers in every way, and counts.")

    @Option(help: "What happens is the same for the same seed.")
    var seed: UInt64 = .random(in: 1...999_999)

    @Option(help: "How long jobs are published and faults happen.")
    var minutes = 2.0

    @Option(help: "Recipients published in a second.")
    var rate: Int?

    @Option(help: "Nodes of RabbitMQ: 1, or a cluster of 3, of which one at a time is killed or stopped.")
    var cluster = 1

    @Option(help: ArgumentHelp("The program whose workers run, in place of the one beside this.", valueName: "path"))
    var martlet: String?

    @Flag(help: "The short form that is among the tests.")
    var short = false

    @Flag(help: "Nothing goes wrong: not one duplicate is allowed.")
    var calm = false

    func validate() throws {
        guard [1, 3].contains(cluster) else { throw ValidationError("--cluster is 1 or 3") }
    }

    func run() async throws {
        var profile = short ? Profile.short : Profile.long(minutes: minutes)
        if let rate { profile.rate = rate }
        profile.nodes = cluster
        let started = ContinuousClock.now
        let run = TortureRun(
            seed: seed, profile: profile, hasFaults: !calm, instance: "torture-run", martlet: martlet
        ) { text in
            print("[\(Int((ContinuousClock.now - started) / .seconds(1))) s] \(text)")
            fflush(nil)
        }
        print("torture: seed \(seed)")
        // Removes output files that remain if an earlier run was killed.
        let scratch = run.folder.deletingLastPathComponent().appending(path: "scratch")
        try? FileManager.default.removeItem(at: scratch)
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        setenv("TMPDIR", scratch.path, 1)
        let result = try await run.run()
        print(result.report(of: run), terminator: "")
        fflush(nil)
        // The exit handlers of the C library are skipped, because threads of libpq may still be ending.
        _exit(result.verdict.isGood ? 0 : 1)
    }
}
