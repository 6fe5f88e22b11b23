import ArgumentParser
import FleetSimulation
import Foundation

/// Runs histories of whole fleets in virtual time.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-simulate",
        abstract: "Run whole fleets in virtual time and judge whether they keep Martlet's promises.",
        discussion: """
            A seed determines everything in a history: tenants, traffic, faults and the order of all events. To replay a \
            history, run its seed with the same commit.
            """)

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "The number of histories.")
    var histories = 1

    @Flag(help: "Print a line for each history.")
    var verbose = false

    mutating func run() throws {
        try Self.fixHashing()
        var bad = 0
        var hours = 0.0
        let start = ContinuousClock.now
        for seed in seed..<seed + UInt64(histories) {
            let history = History(seed: seed)
            let result = history.run()
            hours += Double(result.milliseconds) / 3_600_000
            let violations = result.verdict.violations
            if !violations.isEmpty { bad += 1 }
            guard verbose || !violations.isEmpty else { continue }
            print(
                "seed \(seed): \(violations.isEmpty ? "good" : "BAD"), \(result.jobs) jobs, \(result.recipients) recipients, "
                    + "\(result.messages) messages, \(result.events) events, \(result.milliseconds / 1_000) s, "
                    + "digest \(result.digest)")
            for violation in violations { print("    \(violation)") }
            if !violations.isEmpty { for fault in history.scenario.faults { print("    fault \(fault)") } }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            "\(histories) histories, \(bad) bad, \(Int(hours)) virtual hours, \(String(format: "%.1f", seconds)) s, "
                + "\(Int(Double(histories) / seconds * 60)) histories a minute")
        if bad > 0 { throw ExitCode.failure }
    }

    /// Starts the program again with a fixed hash seed, because the order of a dictionary's elements would otherwise
    /// differ between two runs of the same seed.
    private static func fixHashing() throws {
        guard getenv("SWIFT_DETERMINISTIC_HASHING") == nil else { return }
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        throw ValidationError("cannot start again: \(String(cString: strerror(errno)))")
    }
}
