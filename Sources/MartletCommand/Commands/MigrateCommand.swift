import ArgumentParser
import CommandSupport
import Logging
import MartletConfiguration
import Store

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Migrate the database schema to this version.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "List the migrations without applying them.")
    var dryRun = false

    @Flag(
        name: .customLong("print"),
        help: "Print the SQL for psql without running it.")
    var printsScript = false

    func validate() throws {
        if dryRun, printsScript { throw ValidationError("--dry-run and --print cannot be combined") }
    }

    func run() async throws {
        let source = try await options.load()
        let migrations = Migrations(
            try source.database(applicationName: "martlet migrate"),
            logger: try source.logger("martlet.migrate", atLeast: .warning))
        if printsScript {
            let script = try await migrations.script()
            return print(help: script.isEmpty ? "-- the schema is up to date" : script)
        }
        let numbers = dryRun ? try await migrations.plan() : try await migrations.apply()
        for migration in numbers {
            print("\(dryRun ? "would apply" : "applied") \(migration.number) \(migration.name)")
        }
        if numbers.isEmpty { print("the schema is up to date") }
    }
}
