package import DeliveryPipeline
package import EventNames
package import PushModel
package import Store

/// All facts that the status page shows, at one moment. A value type.
package struct StatusFacts: Sendable {
    /// The stage of a worker's start.
    package enum Stage: Sendable, Hashable {
        /// The worker can't process jobs yet, for the given reason.
        case waiting(String)
        case working
    }

    /// The facts about all workers.
    package struct FleetFacts: Sendable {
        package var members: [FleetMember] = []
        /// The apps that are paused.
        package var pauses: [AppPause] = []
        /// The time since the table of workers was read, in seconds, or `nil` if it has not been read yet.
        package var readSecondsAgo: Int?
        /// The last hour of all workers, or `nil` before the table was read.
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
    /// The connection pools. Their ``PoolStatus/credential`` is the credential's id and not its label.
    package var pools: [PoolStatus] = []
    /// The providers to which the worker gets no connection, in the order in which they are shown.
    package var unreachable: [UnreachableProvider] = []
    package var poolTroubles: [PoolTrouble] = []
    /// The last time when a problem of a provider or of the network was open, or `nil` if there was none.
    package var lastProviderProblem: Timestamp?
    /// The time when each credential's current provider token was made, by the credential's id.
    package var tokenTimes: [String: Timestamp] = [:]
    /// The reasons why credentials could not be opened.
    package var openingProblems: [String] = []
    /// The reasons why rows can't be opened now, although their credentials were opened before and stay in use.
    package var keptBecause: [String] = []
    /// The rows of apps and credentials that can't be read, with the reasons.
    package var unreadableRows: [String] = []
    /// The last warnings of the log, the newest first.
    package var warnings: [LoggedWarning] = []
    /// The failures that the worker's components have reported and that have not ended.
    package var failures: [OngoingFailures.Failure] = []
    /// The answers of the last minute by output and environment.
    package var answers: [AnswerShare] = []
    /// The last hour of this worker.
    package var history = HistoryRing()
    /// The time by which this clock is ahead of the database's, in milliseconds, or `nil` if it is not known.
    package var clockAhead: Int?
    package var configuration: [ConfigurationSetting] = []
    /// The outputs that send to servers of Martlet's users.
    package var receivingOutputs: Set<String> = []
    /// The exchange to which the queues of consumers are bound.
    package var resultsExchange = "martlet.results"

    package init() {}

    /// The beginning of the reason for which a worker waits while it has no database.
    package static let waitsForDatabase = "waiting for the database"
}

/// The facts about one app of the table `apps`.
package struct AppFacts: Sendable, Hashable {
    package let app: String
    /// The app's accounts, by output.
    package let accounts: [String: String]
    package let isPaused: Bool
    /// The rate limit of the app for all workers together, in pushes per second, or `nil` for no limit.
    package let rate: Int?
    /// The reasons why a plain push would find no credential, one for each output.
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

    /// Returns the facts about all apps. Routing is evaluated for the plainest push of each output, in the app's
    /// default environment.
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
