public import ArgumentParser
import CredentialStore
import Logging
import MartletService
public import PushModel

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "The apps that may be pushed to.",
        subcommands: [Set.self, List.self, Show.self, Remove.self])

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an app, or change what is named.",
            discussion: "Options that are left out keep their value.")

        @Argument(help: "The app's bundle id, such as com.example.shop.")
        var app: String

        @Option(help: "Apple's ten-character team id; required for a new app.")
        var team: String?

        @Option(help: "Where pushes go whose job does not say: production or sandbox.")
        var environment: PushEnvironment?

        @Option(help: "Id of a credential that goes before every other; 'none' takes it back.")
        var credential: String?

        @Option(
            help: ArgumentHelp(
                "Broker user that may publish for this app; can be given several times. 'anybody' lifts the limit.",
                valueName: "user"))
        var allowPublisher: [String] = []

        @Flag(inversion: .prefixedNo, help: "Hold the app's jobs back, or let them go again.")
        var paused: Bool?

        @OptionGroup var options: ConfigurationOptions

        /// What is named, and nothing else: another operator may be changing the rest.
        private var changes: [AppChange] {
            var changes: [AppChange] = []
            if let team { changes.append(.team(team)) }
            if let environment { changes.append(.defaultEnvironment(environment)) }
            if let credential { changes.append(.credential(credential == "none" ? nil : credential)) }
            if !allowPublisher.isEmpty {
                changes.append(.allowedPublishers(allowPublisher == ["anybody"] ? [] : Swift.Set(allowPublisher)))
            }
            if let paused { changes.append(.paused(paused)) }
            return changes
        }

        func run() async throws {
            try await withDatabase(options, for: "app") { _, pool in
                let row = try await changed(AppRepository(pool))
                print(
                    "app \(app): team \(row.team), \(row.defaultEnvironment.rawValue)\(row.isPaused ? ", paused" : "")")
            }
        }

        private func changed(_ apps: AppRepository) async throws -> App {
            do {
                return try await apps.change(app, changes)
            } catch let error as CredentialStoreError where error.code == .notFound && team == nil {
                // or it is the credential that is not there
                guard try await !apps.list().contains(where: { $0.bundleID == app }) else { throw error }
                throw ValidationError("there is no app \(app) yet: to add it, say --team")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the apps.")

        @Flag(help: "As JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let apps = try await withDatabase(options, for: "app") { _, pool in try await AppRepository(pool).list() }
            if json { return try printJSON(apps.map { AppDescription($0) }) }
            var table = Table(header: ["APP", "TEAM", "ENVIRONMENT", "PAUSED", "CREDENTIAL", "PUBLISHERS"])
            for app in apps {
                table.append([
                    app.bundleID, app.team, app.defaultEnvironment.rawValue, app.isPaused ? "yes" : "no",
                    app.credential ?? "-",
                    app.allowedPublishers.isEmpty ? "anybody" : app.allowedPublishers.sorted().joined(separator: ","),
                ])
            }
            print(table)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show an app, with the credential that each push type would use, and why.")

        @Argument(help: "The app's bundle id.")
        var app: String

        @Flag(help: "As JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await withDatabase(options, for: "app") { source, pool in
                let row = try await AppRepository(pool).show(app)
                let snapshot = try await SnapshotStore.load(
                    from: pool, keyring: try source.keyring(),
                    logger: try source.logger("martlet.app", atLeast: .critical)
                ).current
                let routes = AppRoute.all(
                    of: row, in: snapshot, refusals: try await RefusalRepository(pool).list(), at: .now)
                if json { return try printJSON(AppDescription(row, routes: routes)) }
                print(row.text)
                var table = Table(header: ["ENVIRONMENT", "PUSH TYPE", "TOPIC", "CREDENTIAL", "BECAUSE"])
                for route in routes {
                    table.append([
                        route.environment.rawValue, route.pushType, route.topic,
                        route.chosen?.credential.name ?? "none",
                        route.explanation,
                    ])
                }
                print(table)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an app; jobs for it are dead-lettered from then on.")

        @Argument(help: "The app's bundle id.")
        var app: String

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await withDatabase(options, for: "app") { _, pool in try await AppRepository(pool).remove(app) }
            print("removed app \(app)")
        }
    }
}

extension App {
    /// For people.
    fileprivate var text: String {
        var text = "app \(bundleID): team \(team), \(defaultEnvironment.rawValue)"
        if let credential { text += ", credential \(credential)" }
        if !allowedPublishers.isEmpty { text += ", publishers \(allowedPublishers.sorted().joined(separator: ", "))" }
        return text + (isPaused ? ", paused: its jobs wait" : "")
    }
}

extension PushEnvironment: ExpressibleByArgument {}
