import ArgumentParser
import Foundation
import Glibc
import TortureRun

/// The command of `make torture` (docs/torture.md).
@main
struct Torture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-torture", abstract: "Disturbs a fleet of workers and verifies what they deliver.")

    @Option(help: "The seed. The same seed causes the same jobs and faults.")
    var seed: UInt64 = .random(in: 1...999_999)

    @Option(help: "The duration of publishing and faults, in minutes.")
    var minutes = 2.0

    @Option(help: "The number of recipients published per second.")
    var rate: Int?

    @Option(
        help: "The number of RabbitMQ nodes: 1, or 3 for a cluster whose nodes are killed and stopped one at a time.")
    var cluster = 1

    @Option(help: ArgumentHelp("The martlet program to run. Default: the one in the same folder.", valueName: "path"))
    var martlet: String?

    @Flag(help: "Run the short form, as the tests do.")
    var short = false

    @Flag(help: "Run without faults. No duplicate is allowed.")
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
