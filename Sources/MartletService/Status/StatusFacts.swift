package import DeliveryPipeline
package import EventNames
package import PushModel
package import Store

/// All that the status page is made of, at one moment. A value.
package struct StatusFacts: Sendable {
    /// How far the worker has come.
    package enum Stage: Sendable, Hashable {
        /// What it waits for before it can work.
        case waiting(String)
        case working
    }

    /// What is known of the other workers.
    package struct FleetFacts: Sendable {
        package var members: [FleetMember] = []
        /// The apps that are paused.
        package var pauses: [AppPause] = []
        /// When the table was read; nil: never.
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
    /// How long it has been working.
    package var workingSeconds = 0
    package var counts = PipelineCounts()
    package var view = PipelineView(lanes: Lane.allCases.map { .init(lane: $0) }, apps: [], isDraining: false)
    package var minute = Pulse.Recent()
    package var rate = 0.0
    /// Its own row in the table of workers.
    package var link = FleetView()
    package var fleet = FleetFacts()
    package var apps: [AppFacts] = []
    package var refusals: [Refusal] = []
    package var badTokens: [BadTokens] = []
    package var credentials: [CredentialSummary] = []
    /// By their credential's id.
    package var pools: [PoolStatus] = []
    /// The first is told first.
    package var unreachable: [UnreachableProvider] = []
    package var poolTroubles: [PoolTrouble] = []
    /// The last time when a problem of a provider or of the network was open, or `nil` if there was none.
    package var lastProviderProblem: Timestamp?
    /// When each credential's provider token in use was made.
    package var tokenTimes: [String: Timestamp] = [:]
    /// Why credentials could not be opened.
    package var openingProblems: [String] = []
    /// Why rows can't be opened whose credentials were opened before and stay in use.
    package var keptBecause: [String] = []
    /// Which rows of apps and credentials can't be read, and why.
    package var unreadableRows: [String] = []
    /// The last warnings of the log, the newest first.
    package var warnings: [LoggedWarning] = []
    /// The failures that the worker's components have reported and that have not ended.
    package var failures: [OngoingFailures.Failure] = []
    /// The answers of the last minute by output and environment.
    package var answers: [AnswerShare] = []
    /// The last hour of this worker.
    package var history = HistoryRing()
    /// The milliseconds by which this clock is ahead of the database's, or `nil` if not measured yet.
    package var clockAhead: Int?
    package var configuration: [ConfigurationSetting] = []
    /// The outputs that send to servers of Martlet's users.
    package var receivingOutputs: Set<String> = []
    /// The exchange that consumers' queues are bound to.
    package var resultsExchange = "martlet.results"

    package init() {}

    /// How a reason begins by which a worker waits that has no database yet.
    package static let waitsForDatabase = "waiting for the database"
}

/// What is known of one app of the table `apps`.
package struct AppFacts: Sendable, Hashable {
    package let app: String
    /// By output.
    package let accounts: [String: String]
    package let isPaused: Bool
    /// Pushes a second that all workers together may send; nil: as many as they can.
    package let rate: Int?
    /// Why a push of the plainest kind would find no credential, by output.
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

    /// As routing would decide just now for a push of each output's plainest kind, in the app's own environment.
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
