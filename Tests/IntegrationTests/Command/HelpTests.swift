import TestSupport
import Testing

@Suite struct HelpTests {
    /// Follows the lists of subcommands, so a new command is found without a word here.
    @Test func everyCommandHasHelp() async throws {
        var waiting: [[String]] = [[]]
        var seen: [[String]] = []
        while let words = waiting.popLast() {
            seen.append(words)
            let finished = try await Subprocess.run([Project.command] + words + ["--help"])
            #expect(finished.status == 0, "\(words) \(finished)")
            #expect(finished.output.contains("USAGE: \((["martlet"] + words).joined(separator: " "))"), "\(finished)")
            #expect(finished.output.contains("OVERVIEW: "), "\(finished)")
            guard let list = finished.output.split(separator: "SUBCOMMANDS:").dropFirst().first else { continue }
            for line in list.split(separator: "\n") {
                guard let name = line.prefixMatch(of: /\s\s([a-z]+)\b/)?.1 else { continue }
                waiting.append(words + [String(name)])
            }
        }
        let expected = [
            "worker", "migrate", "app set", "credential import", "job publish", "results tail", "dead list",
            "token register", "token export",
        ]
        for command in expected + [
            "push", "simulate certificate", "simulate token", "doctor", "audit", "credential rekey",
        ] {
            #expect(seen.contains(command.split(separator: " ").map(String.init)), "martlet \(command)")
        }
    }

    @Test(arguments: [["fly"], ["worker", "--fast"], ["app", "set"], ["job", "publish", "--lane", "express"]])
    func wrongUsageEndsWith64(_ words: [String]) async throws {
        let finished = try await Subprocess.run([Project.command] + words)
        #expect(finished.status == 64)
        #expect(finished.errors.contains("Error: "), "\(finished)")
    }
}
