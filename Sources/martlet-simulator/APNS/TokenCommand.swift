import APNSSimulator
import ArgumentParser
import CommandSupport

/// The command `martlet-simulator token`, which prints a provider token signed with the directory's
/// throwaway key.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a provider token of the directory's throwaway key, valid for an hour.")

    @Option(help: "The directory of the simulator's certificate authority. Created if missing.")
    var directory = ".local/simulator"

    func run() async throws {
        print(try AuthorityDirectory(path: directory).loadOrCreateKey().providerToken())
    }
}
