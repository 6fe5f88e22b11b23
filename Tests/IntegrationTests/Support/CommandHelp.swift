import TestSupport
import Testing

/// The help text of a `martlet` command.
struct CommandHelp {
    let text: String
    let subcommands: [String]
    /// The subcommand that runs if none is given.
    let standard: String?

    /// Runs a command with `--help`.
    ///
    /// - Parameter words: the words of the command, without `martlet`.
    init(of words: [String]) async throws {
        let finished = try await Subprocess.run([Project.command] + words + ["--help"])
        #expect(finished.status == 0, "\(words) \(finished)")
        text = finished.output
        standard = text.firstMatch(of: /(?m)^\s\s([a-z-]+) \(default\)/).map { String($0.1) }
        let list = text.split(separator: "SUBCOMMANDS:").dropFirst().first ?? ""
        subcommands = list.split(separator: "\n").compactMap {
            $0.prefixMatch(of: /\s\s([a-z][a-z-]*)/).map { String($0.1) }
        }
    }
}
