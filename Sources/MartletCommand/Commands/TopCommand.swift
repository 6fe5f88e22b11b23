import ArgumentParser
import MartletService
import PushModel
import Store
import Threading

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "The workers and what they do, every two seconds until stopped.",
        discussion: """
            Where it does not print to a terminal, it prints once. What waits in the broker it looks for every ten seconds.
            """)

    private static let mostPaced = 10

    @Flag(help: "Print once.")
    var once = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let isOnce = once || !isTerminal
        try await withDatabase(options, for: "top") { source, pool in
            let backlog = Mutex("waiting in the broker: not known yet")
            let looking = isOnce ? nil : BrokerBacklog.follow(source) { text in backlog.withLock { $0 = text } }
            defer { looking?.cancel() }
            while true {
                let fleet = try await FleetTable.read(from: pool)
                let problems = fleet.problems.map { "\($0.severity): \($0.line) (since \($0.since))" }
                let refusals = fleet.refusals.map { refusal in
                    "refused: credential \(refusal.credential), \(refusal.environment.rawValue), "
                        + "\(refusal.topic ?? "all topics"): \(refusal.reason) since \(refusal.since.rfc3339)"
                }
                let paced = try await AppRepository(pool).paced(most: Self.mostPaced).map {
                    "paced: \($0.bundleID)\($0.paceText)"
                }
                let waiting = isOnce ? await BrokerBacklog.text(source) : backlog.withLock { $0 }
                let lines =
                    [fleet.summary, waiting, ""] + fleet.table.lines
                    + [problems, refusals, paced].filter { !$0.isEmpty }.flatMap { [""] + $0 }
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
