import TestSupport
import Testing

/// The help text of a command of `martlet` or `martlet-simulator`.
struct CommandHelp {
    let text: String
    let subcommands: [String]
    /// The subcommand that runs if none is given.
    let standard: String?

    /// The first word of the simulator's commands. All other words are commands of `martlet`.
    static let simulator = "martlet-simulator"

    /// Runs a command with `--help`.
    ///
    /// - Parameter words: the words of the command, without `martlet`.
    init(of words: [String]) async throws {
        let program =
            words.first == Self.simulator ? [Project.simulator] + words.dropFirst() : [Project.command] + words
        let finished = try await Subprocess.run(program + ["--help"])
        #expect(finished.status == 0, "\(words) \(finished)")
        text = finished.output
        standard = text.firstMatch(of: /(?m)^\s\s([a-z-]+) \(default\)/).map { String($0.1) }
        // The list has a heading for each group of subcommands.
        subcommands = text.split(separator: "SUBCOMMANDS:").dropFirst().flatMap { list in
            list.split(separator: "\n").compactMap { $0.prefixMatch(of: /\s\s([a-z][a-z-]*)/).map { String($0.1) } }
        }
    }
}
