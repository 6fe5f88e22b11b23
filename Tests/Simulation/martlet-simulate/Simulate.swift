import ArgumentParser
import FleetSimulation
import Foundation
import Foundations

/// The program that runs histories of whole fleets in virtual time.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-simulate",
        abstract: "Run whole fleets in virtual time, and judge whether they keep Martlet's promises.",
        discussion: """
            A seed determines everything in a history: the tenants, their traffic, the faults and the order of all events. \
            To replay a history, run its seed with the same commit. The exit code is 1 if a history broke a promise.
            """)

    @Option(help: "The seed of the first history. The default is a random number.")
    var seed: UInt64?

    @Option(help: "The number of histories. The default is 1, or as many as fit into --seconds.")
    var histories: UInt64?

    @Option(help: "The time after which no further history starts.")
    var seconds: Int?

    @Flag(help: "Print a line for each history, instead of only for those that broke a promise.")
    var verbose = false

    @Flag(help: "Print each event of the histories.")
    var timeline = false

    func validate() throws {
        if let seconds, seconds < 1 { throw ValidationError("--seconds must be at least 1") }
        if histories == 0 { throw ValidationError("--histories must be at least 1") }
    }

    func run() throws {
        try Self.fixHashing()
        let first = seed ?? .random(in: 1...1_000_000_000)
        let series = Series(
            first: first, most: histories ?? (seconds == nil ? 1 : .max), seconds: seconds, verbose: verbose,
            timeline: timeline)
        // With `--timeline`, one thread runs all histories, so that the lines of different histories are not mixed.
        let threads = timeline ? 1 : ProcessInfo.processInfo.activeProcessorCount
        DispatchQueue.concurrentPerform(iterations: threads) { _ in series.run() }
        print(series.summary)
        if series.bad > 0 { throw ExitCode.failure }
    }

    /// Restarts the program with a fixed hash seed, unless it already has one. With random hash seeds, the order of a
    /// dictionary's elements would differ between two runs of the same history.
    private static func fixHashing() throws {
        guard getenv("SWIFT_DETERMINISTIC_HASHING") == nil else { return }
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        throw ValidationError("cannot start again: \(String(cString: strerror(errno)))")
    }
}
