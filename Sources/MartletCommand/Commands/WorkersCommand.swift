import ArgumentParser
import MartletService

struct WorkersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers", abstract: "The workers that run, as they say themselves in the database.")

    @Flag(help: "As JSON.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let fleet = try await withDatabase(options, for: "workers") { _, pool in try await FleetTable.read(from: pool) }
        if json { return try printJSON(fleet.workers, keys: .snakeCase) }
        print(fleet.table)
    }
}
