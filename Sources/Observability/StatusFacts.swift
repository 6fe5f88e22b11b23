package import DeliveryPipeline
package import Foundations
package import MartletConfiguration
package import PushModel
package import Store
package import Routing

/// The state of a worker at one moment, with all data for its status page.
package struct StatusFacts: Sendable {
    /// The stage of a worker's start.
    package enum Stage: Sendable, Hashable {
        /// The worker can't process jobs yet. The value is the reason.
        case waiting(String)
        case working
    }

    /// The state of all workers of the fleet.
    package struct FleetFacts: Sendable {
        package var members: [FleetMember] = []
        /// The apps that are paused.
        package var pauses: [AppPause] = []
        /// The time since the table of workers was last read, in seconds, or `nil` if it has not been read yet.
        package var readSecondsAgo: Int?
        /// The history of all workers in the last hour, or `nil` if the table of workers has not been read yet.
        package var history: HistorySum?

        package init(
            members: [FleetMember] = [], pauses: [AppPause] = [], readSecondsAgo: Int? = nil,
            history: HistorySum? = nil
        ) {
            self.members = members
            self.pauses = pauses
            self.readSecondsAgo = readSecondsAgo
            self.history = history
        }
    }

    package var now = Timestamp(seconds: 0)
    package var name = ""
    package var version = ""
    package var host = ""
    package var pid = 0
    package var startedAt = Timestamp(seconds: 0)
    package var stage = Stage.working
    /// The time since the worker began to process jobs, in seconds.
    package var workingSeconds = 0
    package var counts = PipelineCounts()
    package var view = PipelineView(lanes: Lane.allCases.map { .init(lane: $0) }, apps: [], isDraining: false)
    package var minute = Pulse.Recent()
    package var rate = 0.0
    /// The state of this worker's own row in the table of workers.
    package var link = FleetView()
    package var fleet = FleetFacts()
    package var apps: [AppFacts] = []
    package var refusals: [Refusal] = []
    package var badTokens: [BadTokens] = []
    package var credentials: [CredentialSummary] = []
    /// The connection pools. Their property ``PoolStatus/credential`` is the id of the credential instead of its label.
    package var pools: [PoolStatus] = []
    /// The providers that the worker can't connect to or get an access token for, in the order in which the page shows
    /// them.
    package var unreachable: [UnreachableProvider] = []
    package var poolTroubles: [PoolTrouble] = []
    /// The last time at which a problem that makes workers retry pushes was open, or `nil` if there was none.
    package var lastProviderProblem: Timestamp?
    /// The time at which each credential's current provider token was created, by the credential's id.
    package var tokenTimes: [String: Timestamp] = [:]
    /// The reasons why credentials could not be opened.
    package var openingProblems: [String] = []
    /// The errors of credentials whose rows can't be opened now. Their secrets were opened before and stay in use.
    package var keptBecause: [String] = []
    /// The errors of app and credential rows that can't be read.
    package var unreadableRows: [String] = []
    /// The last warnings and errors of the log, newest first.
    package var warnings: [LoggedWarning] = []
    /// The failures that components of the worker have reported and that have not ended.
    package var failures: [OngoingFailures.Failure] = []
    /// The providers' answers in the last minute by output and environment.
    package var answers: [AnswerShare] = []
    /// The history of this worker in the last hour.
    package var history = HistoryRing()
    /// The time by which this machine's clock is ahead of the database's, in milliseconds, or `nil` if it is unknown.
    package var clockAhead: Int?
    package var configuration: [ConfigurationSetting] = []
    /// The names of the outputs that send to servers of Martlet's users.
    package var receivingOutputs: Set<String> = []
    /// The name of the exchange to which consumers bind their queues.
    package var resultsExchange = "martlet.results"

    package init() {}

    /// The first words of the reason that a worker gives while it waits for the database.
    package static let waitsForDatabase = "waiting for the database"
}

/// The state of one app in the table `apps`.
package struct AppFacts: Sendable, Hashable {
    package let app: String
    /// The app's accounts, by the name of the output.
    package let accounts: [String: String]
    package let isPaused: Bool
    /// The rate limit of the app for all workers together, in pushes per second, or `nil` for no limit.
    package let rate: Int?
    /// The reasons why routing finds no credential for an ordinary push, one for each output concerned. If the app's
    /// row can't be read, the list contains only that error.
    package let unroutable: [String]

    package init(
        app: String, accounts: [String: String] = [:], isPaused: Bool = false, rate: Int? = nil,
        unroutable: [String] = []
    ) {
        self.app = app
        self.accounts = accounts
        self.isPaused = isPaused
        self.rate = rate
        self.unroutable = unroutable
    }

    /// Returns the state of all apps. Routing is tried for the first push type of each output in the app's default
    /// environment.
    package static func all(in snapshot: Snapshot, with outputs: [any OutputPlugin], at now: Timestamp) -> [AppFacts] {
        snapshot.allApps.map { app in
            let unroutable = outputs.compactMap { output -> String? in
                guard !app.isPaused, app.accounts[output.name] != nil, let credentials = output.credentials,
                    let use = credentials.uses(of: app.bundleID).first(where: {
                        $0.environment == app.defaultEnvironment
                    })
                else { return nil }
                let route = snapshot.route(
                    app: app.bundleID, with: OutputAccounts(name: output.name, accountName: credentials.accountName),
                    environment: nil, need: use.need, at: now)
                return if case .failure(let failure) = route { "\(output.name): \(failure)" } else { nil }
            }
            return AppFacts(
                app: app.bundleID, accounts: app.accounts.mapValues(\.id), isPaused: app.isPaused,
                rate: app.pace?.rate, unroutable: app.unreadable.map { [$0.message] } ?? unroutable)
        }
    }
}
