import TestSupport
import Testing

/// The commands of `martlet` and `martlet-simulator` in the documents. Their subcommands and options must exist.
@Suite struct DocumentedCommandTests {
    @Test func documentsOnlyExistingCommandsAndOptions() async throws {
        var known: [[String]: CommandHelp] = [:]
        var shown = 0
        for (path, text) in try Documents.all() {
            for line in Self.commands(in: text) {
                shown += 1
                let (words, options) = Self.parts(of: line)
                let help = try await Self.help(of: words, &known)
                #expect(help.subcommands.isEmpty || help.words == words, "\(path): no such command: martlet \(line)")
                for option in options {
                    #expect(help.text.contains(option), "\(path): \(option) is no option of: martlet \(line)")
                }
            }
        }
        #expect(shown > 80)
    }

    @Test func documentsEveryCommand() async throws {
        let shown = try Documents.all().flatMap { Self.commands(in: $0.text) }.map { Self.parts(of: $0).words }
        var waiting = [[], [CommandHelp.simulator]]
        while let words = waiting.popLast() {
            let help = try await CommandHelp(of: words)
            // Documents show the default subcommand without its name.
            waiting += help.subcommands.filter { $0 != help.standard }.map { words + [$0] }
            guard help.subcommands.isEmpty else { continue }
            #expect(
                words.last == "help" || shown.contains { $0.starts(with: words) },
                "no document shows: martlet \(words.joined(separator: " "))")
        }
    }

    /// Returns the commands of a text, without `martlet`. They are in code blocks, in command substitutions and in
    /// inline code. Commands of the simulator begin with its name.
    private static func commands(in text: String) -> [String] {
        let joined = text.replacing(/\\\n\s*/, with: "")
        let blocks = ["", "sh"].flatMap { Documents.blocks($0, in: joined) }
        let lines = blocks.flatMap {
            $0.matches(of: /(?m)(?:^(?:\$ )?|\$\()(?:martlet ([a-z][^\n]*)|(martlet-simulator\b[^\n]*))/)
                .compactMap { ($0.1 ?? $0.2).map(String.init) }
        }
        let prose = joined.replacing(/(?m)^```(?:.|\n)*?^```/, with: "")
        return lines
            + prose.matches(of: /`(?:martlet ([a-z][^`]*)|(martlet-simulator [^`]*))`/)
            .compactMap { ($0.1 ?? $0.2).map(String.init) }
    }

    /// Returns the words before the first argument that can't be the name of a command, and all options.
    private static func parts(of line: String) -> (words: [String], options: [String]) {
        let command = line.prefix { !"#>)".contains($0) }
        let words = command.split(separator: " ").prefix { $0.wholeMatch(of: /[a-z][a-z-]*/) != nil }
        return (words.map(String.init), command.matches(of: /(?:^|\s)(--[a-z-]+)/).map { String($0.1) })
    }

    /// Returns the help of the longest command that the words begin with.
    private static func help(
        of words: [String], _ known: inout [[String]: CommandHelp]
    ) async throws -> (text: String, subcommands: [String], words: [String]) {
        var path = Array(words.prefix { $0 == CommandHelp.simulator })
        while true {
            let help = if let known = known[path] { known } else { try await CommandHelp(of: path) }
            known[path] = help
            if path.count < words.count, help.subcommands.contains(words[path.count]) {
                path.append(words[path.count])
            } else if path == words, let standard = help.standard {
                return (try await CommandHelp(of: path + [standard]).text, [], path)
            } else {
                return (help.text, help.subcommands, path)
            }
        }
    }
}
