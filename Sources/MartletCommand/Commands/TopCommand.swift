import ArgumentParser
import MartletService
import PushModel

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "The workers and what they do, every two seconds until stopped.",
        discussion: "Where it does not print to a terminal, it prints once.")

    @Flag(help: "Print once.")
    var once = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let isOnce = once || !isTerminal
        try await withDatabase(options, for: "top") { _, pool in
            while true {
                let fleet = try await FleetTable.read(from: pool)
                let refusals = fleet.refusals.map { refusal in
                    "refused: credential \(refusal.credential), \(refusal.environment.rawValue), "
                        + "\(refusal.topic ?? "all topics"): \(refusal.reason) since \(refusal.since.rfc3339)"
                }
                let lines = [fleet.summary, ""] + fleet.table.lines + (refusals.isEmpty ? [] : [""] + refusals)
                if isOnce {
                    for line in lines { print(line) }
                    return
                }
                print(screen: lines)
                try await Task.sleep(for: .seconds(2))
            }
        }
    }
}
