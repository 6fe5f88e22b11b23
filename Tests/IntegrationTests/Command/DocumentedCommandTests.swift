import TestSupport
import Testing

/// Each `martlet …` that a document shows: its subcommand exists and knows its options.
@Suite struct DocumentedCommandTests {
    @Test func theCommandKnowsWhatIsShown() async throws {
        var known: [[String]: CommandHelp] = [:]
        var shown = 0
        for (path, text) in try Documents.all() {
            for line in Self.commands(in: text) {
                shown += 1
                let (words, options) = Self.parts(of: line)
                let help = try await Self.help(of: words, &known)
                #expect(help.subcommands.isEmpty || help.words == words, "\(path): there is no: martlet \(line)")
                for option in options {
                    #expect(help.text.contains(option), "\(path): \(option) is not known: martlet \(line)")
                }
            }
        }
        #expect(shown > 80)
    }

    @Test func everyCommandIsShown() async throws {
        let shown = try Documents.all().flatMap { Self.commands(in: $0.text) }.map { Self.parts(of: $0).words }
        var waiting: [[String]] = [[]]
        while let words = waiting.popLast() {
            let help = try await CommandHelp(of: words)
            // The standard one goes without its name.
            waiting += help.subcommands.filter { $0 != help.standard }.map { words + [$0] }
            guard help.subcommands.isEmpty else { continue }
            #expect(
                words.first == "help" || shown.contains { $0.starts(with: words) },
                "no document shows: martlet \(words.joined(separator: " "))")
        }
    }

    /// Without `martlet`: lines of code blocks, what a shell puts in, and code in a text.
    private static func commands(in text: String) -> [String] {
        let joined = text.replacing(/\\\n\s*/, with: "")
        let blocks = ["", "sh"].flatMap { Documents.blocks($0, in: joined) }
        let lines = blocks.flatMap {
            $0.matches(of: /(?m)(?:^(?:\$ )?|\$\()martlet ([a-z][^\n]*)/).map { String($0.1) }
        }
        let prose = joined.replacing(/(?m)^```(?:.|\n)*?^```/, with: "")
        return lines + prose.matches(of: /`martlet ([a-z][^`]*)`/).map { String($0.1) }
    }

    /// The words in front of the first argument that is no name of a command, and all options.
    private static func parts(of line: String) -> (words: [String], options: [String]) {
        let command = line.prefix { !"#>)".contains($0) }
        let words = command.split(separator: " ").prefix { $0.wholeMatch(of: /[a-z][a-z-]*/) != nil }
        return (words.map(String.init), command.matches(of: /(?:^|\s)(--[a-z-]+)/).map { String($0.1) })
    }

    /// Of the command that the words begin with.
    private static func help(
        of words: [String], _ known: inout [[String]: CommandHelp]
    ) async throws -> (text: String, subcommands: [String], words: [String]) {
        var path: [String] = []
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
