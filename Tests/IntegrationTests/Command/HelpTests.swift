import TestSupport
import Testing

@Suite struct HelpTests {
    /// The test follows the lists of subcommands, so it also covers new commands.
    @Test func everyCommandHasHelp() async throws {
        var waiting = [[], [CommandHelp.simulator]]
        var seen: [[String]] = []
        while let words = waiting.popLast() {
            seen.append(words)
            let help = try await CommandHelp(of: words)
            let command = (words.first == CommandHelp.simulator ? words : ["martlet"] + words).joined(separator: " ")
            #expect(help.text.contains("USAGE: \(command)"), "\(help.text)")
            #expect(help.text.contains("OVERVIEW: "), "\(help.text)")
            waiting += help.subcommands.map { words + [$0] }
        }
        let expected = [
            "worker", "migrate", "app set", "credential import", "job publish", "results tail", "dead list",
            "token register", "token export",
        ]
        for command in expected + [
            "push", "martlet-simulator certificate", "martlet-simulator token", "doctor", "audit", "credential rekey",
        ] {
            #expect(seen.contains(command.split(separator: " ").map(String.init)), "martlet \(command)")
        }
    }

    @Test(arguments: [["fly"], ["worker", "--fast"], ["app", "set"], ["job", "publish", "--lane", "express"]])
    func exitsWith64OnWrongUsage(_ words: [String]) async throws {
        let finished = try await Subprocess.run([Project.command] + words)
        #expect(finished.status == 64)
        #expect(finished.errors.contains("Error: "), "\(finished)")
    }
}
