import ArgumentParser
import CommandSupport
import MartletConfiguration
import Observability
import Store
import Foundations

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Show the workers and their work, every two seconds until stopped.",
        discussion: """
            Prints once if standard output is not a terminal. Reads the broker's queues every ten seconds. If the database \
            does not answer, the command reports it and shows only the broker's queues. With --once it then exits with 1.
            """)

    @Flag(help: "Print once and exit.")
    var once = false

    @Option(help: "Delete the rows of workers with this name that ended without a clean shutdown, and exit.")
    var forget: String?

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        if let forget { return try await delete(forget) }
        let source = try await options.load()
        var reader = try TopReader(source)
        defer { reader.close() }
        guard !once, isTerminal else {
            let fleet = try await reader.read()
            for line in fleet.lines(waiting: await BrokerBacklog.text(source)) { print(line) }
            if !fleet.isKnown { throw ExitCode.failure }
            return
        }
        let backlog = Mutex("waiting in the broker: not known yet")
        let looking = BrokerBacklog.follow(source) { text in backlog.withLock { $0 = text } }
        defer { looking.cancel() }
        while true {
            let fleet = try await reader.read()
            print(screen: fleet.lines(waiting: backlog.withLock { $0 }))
            try await Task.sleep(for: .seconds(2))
        }
    }

    private func delete(_ worker: String) async throws {
        let count = try await withDatabase(options, for: "top") { _, pool in
            try await WorkerRepository(pool).forgetSilent(name: worker)
        }
        guard count > 0 else {
            throw ValidationError("no worker \(worker) ended without a clean shutdown: 'martlet top --once' lists all")
        }
        print("worker \(worker): deleted \(Phrase.count(count, "row"))")
    }
}
