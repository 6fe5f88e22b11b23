public import ArgumentParser
import CommandSupport
import Logging
import MartletConfiguration
import Observability
import PostgresClient
public import PushModel
import Store
import Routing

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Manage apps.",
        subcommands: [Set.self, List.self, Show.self, Remove.self])

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an app or change its settings.",
            discussion: "Omitted options keep their value. A new app needs an account.")

        @Argument(help: "The app's bundle id, such as com.example.shop.")
        var app: String

        @OptionGroup var output: OutputOption

        @Option(help: "The environment of jobs that name none: production or sandbox.")
        var environment: PushEnvironment?

        @Option(help: "The id of the credential to prefer; 'none' removes the preference.")
        var credential: String?

        @Option(
            help: ArgumentHelp(
                "A broker user who may publish jobs for this app. May be repeated. 'anybody' removes the restriction.",
                valueName: "user"))
        var allowPublisher: [String] = []

        @Flag(inversion: .prefixedNo, help: "Pause the app's jobs, or resume them.")
        var paused: Bool?

        @Option(help: "The rate limit in pushes per second, for all workers together; 'none' removes it.")
        var rate: RateLimit?

        @Flag(inversion: .prefixedNo, help: "Apply the rate limit to the urgent lane too.")
        var rateIncludesUrgent: Bool?

        @OptionGroup var bound: BoundAddressOption
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            if allowPublisher.count > 1, allowPublisher.contains("anybody") {
                throw ValidationError("--allow-publisher anybody cannot be combined with users")
            }
            guard output.account.id != nil || credential != nil else { return }
            let credentials = try output.credentials()
            if let account = output.account.id, let problem = credentials.problem(ofAccount: account) {
                throw ValidationError("\(AccountTerms.options(of: output.name)) \(account) \(problem)")
            }
        }

        /// The changes that the given options request. All other settings stay unchanged, because another operator may
        /// be changing them.
        private var changes: [AppChange] {
            var changes: [AppChange] = []
            if let account = output.account.id { changes.append(.account(account, of: output.name)) }
            if let environment { changes.append(.defaultEnvironment(environment)) }
            if let credential { changes.append(.credential(credential == "none" ? nil : credential, of: output.name)) }
            if !allowPublisher.isEmpty {
                changes.append(.allowedPublishers(allowPublisher == ["anybody"] ? [] : Swift.Set(allowPublisher)))
            }
            if let paused { changes.append(.paused(paused)) }
            if let rate { changes.append(.rate(rate.perSecond)) }
            if let rateIncludesUrgent { changes.append(.rateIncludesUrgent(rateIncludesUrgent)) }
            return changes
        }

        func run() async throws {
            try await withDatabase(options, for: "app") { source, pool in
                if let account = output.account.id {
                    try await bound.check(app, gets: account, of: output.name, try output.credentials(), pool)
                }
                let row = try await changed(AppRepository(pool))
                print("app \(app): \(row.origin)\(row.isPaused ? ", paused" : "")\(row.paceText)")
                if let account = output.account.id { await note(account, pool) }
                if paused != nil || rate != nil || rateIncludesUrgent != nil { await FleetNote.print(pool) }
            }
        }

        /// Prints a note on standard error if the account has no credential in use. Prints nothing if the credentials
        /// can't be read, because the change itself has succeeded.
        private func note(_ account: String, _ pool: PostgresPool) async {
            guard let known = try? await CredentialRepository(pool).list(),
                !known.contains(where: { $0.isOf(account, with: output.name) && $0.state != .retired })
            else { return }
            let name = "\(AccountTerms.word(of: output.name)) \(account)"
            printError("\(name) has no credential yet: \(AccountTerms.remedy(account, of: output.name))")
        }

        /// Changes the app and returns its new state. A missing app is added only if an account is given or the output
        /// needs no credentials.
        private func changed(_ apps: AppRepository) async throws -> App {
            let needsAccount = try output.plugin().credentials != nil
            do {
                return try await apps.change(app, changes, adding: !needsAccount)
            } catch let error as StoreError where error.code == .notFound && output.account.id == nil {
                // The error may also mean that the credential does not exist.
                guard try await !apps.list().contains(where: { $0.bundleID == app }) else { throw error }
                throw ValidationError(
                    "there is no app \(app) yet: to add it, pass \(AccountTerms.options(of: output.name))")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List apps.")

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let all = try await withDatabase(options, for: "app") { _, pool in try await AppRepository(pool).list() }
            let apps = all.filter { $0.unreadable == nil }
            if json { try printJSON(apps.map { described($0) }) } else { print(table(apps)) }
            try printUnreadable(all.compactMap(\.unreadable))
        }

        private func table(_ apps: [App]) -> Table {
            var table = Table(header: [
                "APP", AccountTerms.header, "ENVIRONMENT", "PAUSED", "RATE", "CREDENTIAL", "PUBLISHERS",
            ])
            for app in apps {
                table.append([
                    app.bundleID, app.list(\.id), app.defaultEnvironment.rawValue, app.isPaused ? "yes" : "no",
                    app.pace.map { "\($0.rate)" } ?? "-", app.list(\.credential),
                    app.allowedPublishers.isEmpty ? "anybody" : app.allowedPublishers.sorted().joined(separator: ","),
                ])
            }
            return table
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show an app and which credential each push type would use, with the reason.")

        @Argument(help: "The app's bundle id.")
        var app: String

        @Flag(help: "Print JSON.")
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
                    of: row, with: source.outputs, in: snapshot, refusals: try await RefusalRepository(pool).list(),
                    at: .now)
                if json { return try printJSON(described(row, routes: routes)) }
                print(row.text)
                print(table(routes))
            }
        }

        private func table(_ routes: [AppRoute]) -> Table {
            var table = Table(
                header: AccountTerms.column("OUTPUT")
                    + ["ENVIRONMENT", "PUSH TYPE", "TOPIC", "CREDENTIAL", "BECAUSE"])
            for route in routes {
                table.append(
                    AccountTerms.column(route.output.name) + [
                        route.environment.rawValue, route.pushType, route.topic,
                        route.chosen?.credential.name ?? "none", route.explanation,
                    ])
            }
            return table
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an app. Its jobs are dead-lettered from then on.")

        @Argument(help: "The app's bundle id.")
        var app: String

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await withDatabase(options, for: "app") { _, pool in try await AppRepository(pool).remove(app) }
            print("removed app \(app)")
        }
    }
}

/// Returns the app as `--json` shows it. The member for the account is left out if the app has none.
private func described(_ app: App, routes: [AppRoute]? = nil) -> WithAccount<AppDescription> {
    let first = app.listed.first
    return WithAccount(
        base: AppDescription(app, routes: routes), output: first?.output ?? Job.defaultOutput,
        account: first?.account.id ?? "")
}

extension App {
    /// The settings of the app, as one line for operators.
    fileprivate var text: String {
        var text = "app \(bundleID): \(origin)"
        for (_, account) in listed { if let credential = account.credential { text += ", credential \(credential)" } }
        if !allowedPublishers.isEmpty { text += ", publishers \(allowedPublishers.sorted().joined(separator: ", "))" }
        text += paceText
        return text + (isPaused ? ", paused: its jobs wait" : "")
    }

    /// The app's accounts and environment, for example `team TEAMA12345, production`.
    fileprivate var origin: String {
        (listed.map { "\(AccountTerms.word(of: $0.output)) \($0.account.id)" } + [defaultEnvironment.rawValue])
            .joined(separator: ", ")
    }

    /// The app's rate limit, for example `, at most 500 a second`, or an empty string if it has none.
    var paceText: String {
        pace.map { ", at most \($0.rate) a second\($0.includesUrgent ? ", including urgent" : "")" } ?? ""
    }

    /// The app's accounts, in the order of the installed outputs. Accounts with other outputs follow.
    var listed: [(output: String, account: AppAccount)] {
        let known = Martlet.installed.map(\.name)
        let others = accounts.keys.filter { !known.contains($0) }.sorted()
        return (known + others).compactMap { name in accounts[name].map { (name, $0) } }
    }

    fileprivate func list(_ text: (AppAccount) -> String?) -> String {
        let texts = listed.compactMap { text($0.account) }
        return texts.isEmpty ? "-" : texts.joined(separator: ",")
    }
}

extension PushEnvironment: ExpressibleByArgument {}
