import APNSSimulator
import ArgumentParser
import MartletCommand

/// The command `martlet-simulator token`, which prints a provider token of the throwaway key.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a provider token, good for an hour, of the directory's throwaway key.")

    @Option(help: "Where the simulator's certificate authority is kept; made if missing.")
    var directory = ".local/simulator"

    func run() async throws {
        print(try AuthorityDirectory(path: directory).loadOrCreateKey().providerToken())
    }
}
