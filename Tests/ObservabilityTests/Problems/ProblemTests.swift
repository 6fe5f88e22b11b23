import Contract
import DeliveryPipeline
import Foundations
import Metering
import Observability
import PushModel
import Store
import Testing
import WorkerTestSupport

/// The problems that the status page shows for given facts, with the parties that can end them.
@Suite struct ProblemTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// The parties of the problems in the order of the list. A question mark marks a notice.
        let found: [String]
        let change: @Sendable (inout StatusFacts) -> Void

        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "nothing", found: []) { _ in },
        Case(name: "starting", found: []) { $0.stage = .waiting("starting") },
        Case(name: "the database is unavailable at start", found: ["database"]) {
            $0.stage = .waiting("waiting for the database: connection refused")
        },
        Case(name: "the database is unavailable", found: ["database"]) {
            $0.link = FleetView(isKnown: false, obstacle: .away)
        },
        Case(name: "one renewal failed while the row is fresh", found: []) {
            $0.link = FleetView(isKnown: true, obstacle: .away)
        },
        Case(name: "no permission on the table", found: ["ours?"]) {
            $0.link = FleetView(isKnown: false, obstacle: .refused)
        },
        Case(name: "a consuming connection is lost", found: ["broker"]) { $0.counts.isConsuming = false },
        Case(name: "no connection to the broker", found: ["broker"]) {
            ($0.counts.isConsuming, $0.counts.isPublishing) = (false, false)
        },
        Case(name: "the broker blocks publishers while a consuming connection is lost", found: ["broker", "broker"]) {
            ($0.counts.isConsuming, $0.counts.isPublishing, $0.counts.isBlocked) = (false, false, true)
        },
        Case(name: "the worker has just started", found: []) {
            $0.counts.isConsuming = false
            $0.workingSeconds = 3
        },
        Case(name: "it stops", found: []) {
            $0.counts.isConsuming = false
            $0.view = PipelineView(lanes: [], apps: [], isDraining: true)
        },
        Case(name: "the broker accepts no messages", found: ["broker"]) { $0.counts.isPublishing = false },
        Case(name: "the broker's disk stalls", found: ["broker"]) { $0.counts.unconfirmedSeconds = 20 },
        Case(name: "a confirm is a little late", found: []) { $0.counts.unconfirmedSeconds = 5 },
        Case(name: "one of our queues rejects messages", found: ["broker"]) {
            $0.minute = Pulse.Recent(refused: ["martlet.delay.5": 3])
        },
        Case(name: "a consumer's queue is full", found: ["consumer"]) {
            $0.minute = Pulse.Recent(refused: ["martlet.results": 3])
        },
        Case(name: "a master key is missing", found: ["ours"]) { $0.openingProblems = ["no master key 2026-11"] },
        Case(name: "a master key is lost while credentials are in use", found: ["ours"]) {
            $0.keptBecause = ["row 1 is sealed under master key 2026-11, which is not in the keyring"]
        },
        Case(name: "jobs wait for the database", found: ["database"]) {
            $0.minute = Pulse.Recent(counts: ["jobs_unclaimed": 4])
        },
        Case(name: "a row cannot be read", found: ["ours"]) {
            $0.unreadableRows = ["martlet.apps row a cannot be read"]
        },
        Case(name: "jobs of a paused app", found: ["decision?"]) {
            $0.minute = Pulse.Recent(counts: ["jobs_held": 4, "jobs_paused": 4])
            $0.apps = [AppFacts(app: "com.example.shop", isPaused: true)]
        },
        Case(name: "jobs of an app without a credential", found: ["ours"]) {
            $0.minute = Pulse.Recent(counts: ["jobs_held": 4])
            $0.apps = [AppFacts(app: "com.example.shop", unroutable: ["apns: has no credential"])]
        },
        Case(name: "an app without a credential, before its first job", found: ["ours?"]) {
            $0.apps = [AppFacts(app: "com.example.shop", unroutable: ["apns: has no credential"])]
        },
        Case(name: "a job is not settled", found: ["ours"]) { $0.counts.oldestJobSeconds = 301 },
        Case(name: "a worker was killed", found: ["ours?"]) {
            $0.fleet.members.append(.sample("push-8", silentFor: 20))
        },
        Case(name: "another worker is not ready", found: ["ours?"]) {
            $0.fleet.members.append(.sample("push-8", state: .hindered))
        },
        Case(name: "another worker waits for its keyring", found: ["ours?"]) {
            $0.fleet.members.append(.sample("push-8", state: .starting))
        },
        Case(name: "a credential has expired", found: ["ours?"]) {
            $0.credentials = [.sample("1", notAfter: Timestamp(seconds: $0.now.seconds - 90_000))]
        },
        Case(name: "a credential expires soon", found: ["ours?"]) {
            $0.credentials = [.sample("1", notAfter: Timestamp(seconds: $0.now.seconds + 5 * 86_400))]
        },
        Case(name: "the credentials are valid for long", found: []) {
            $0.credentials = [
                .sample("1", notAfter: Timestamp(seconds: $0.now.seconds + 50 * 86_400)), .sample("2", notAfter: nil),
            ]
        },
        Case(name: "a provider rejects a credential", found: ["provider"]) {
            $0.refusals = [
                Refusal(
                    credential: "1", environment: .production, topic: nil, reason: "InvalidProviderToken", since: $0.now
                )
            ]
        },
        Case(name: "a receiver rejects a credential", found: ["receiver"]) {
            $0.receivingOutputs = ["apns"]
            $0.credentials = [.sample("1", notAfter: nil)]
            $0.refusals = [
                Refusal(credential: "1", environment: .production, topic: nil, reason: "Status401", since: $0.now)
            ]
        },
        Case(name: "the configuration excludes an account's token endpoint", found: ["ours"]) {
            $0.refusals = [
                Refusal(
                    credential: "1", environment: .production, topic: nil, reason: "CredentialUnusable", since: $0.now)
            ]
        },
        Case(name: "a receiver rejects most recipients", found: ["receiver"]) {
            $0.receivingOutputs = ["apns"]
            $0.credentials = [.sample("1", notAfter: nil)]
            $0.refusals = [
                Refusal(
                    credential: "1", environment: .production, topic: "com.example.shop (device tokens)",
                    reason: "rejected", since: $0.now)
            ]
        },
        Case(name: "a receiver answers with errors", found: ["receiver"]) {
            $0.receivingOutputs = ["hook"]
            $0.poolTroubles = [.sample("hook", .failing, answers: 20)]
        },
        Case(name: "no queue takes the outcomes", found: ["consumer?"]) {
            $0.minute.resultsRouting = .init(routed: 0, unrouted: 3, lastUnrouted: "apns.sent.com.example.shop")
        },
        Case(name: "a queue takes some of the outcomes", found: []) {
            $0.minute.resultsRouting = .init(routed: 1, unrouted: 3, lastUnrouted: "apns.sent.com.example.shop")
        },
        Case(name: "the keyring of a starting worker opens no credential", found: ["ours"]) {
            $0.stage = .waiting("the keyring opens no credential: no master key 2026-11")
            $0.failures = [.of(.keyringOpensNothing)]
        },
        Case(name: "waiting for the keyring without a right on the table of workers", found: ["ours", "ours?"]) {
            $0.stage = .waiting("the keyring opens no credential")
            $0.link = FleetView(isKnown: false, obstacle: .refused)
            $0.failures = [.of(.keyringOpensNothing)]
        },
        Case(name: "a worker replaced a crashed one", found: ["ours?"]) {
            $0.fleet.members = [.sample("push-7", crashes: 2)]
        },
        Case(name: "a worker is in a crash loop", found: ["ours"]) {
            $0.fleet.members = [.sample("push-7", crashes: 3)]
        },
        Case(name: "tokens of the other environment", found: ["publisher"]) {
            $0.refusals = [
                Refusal(
                    credential: "1", environment: .production, topic: "com.example.shop (device tokens)",
                    reason: "BadDeviceToken", since: $0.now)
            ]
        },
        Case(name: "pushes are retried for no reported reason", found: ["unknown"]) {
            $0.minute = Pulse.Recent(counts: ["sent": 100, "retried": 30])
        },
        Case(name: "a provider is unreachable, but few pushes wait", found: ["network"]) {
            $0.unreachable = [UnreachableProvider(output: "apns", environment: "production", attempt: .sample)]
        },
        Case(name: "a few pushes are retried", found: []) {
            $0.minute = Pulse.Recent(counts: ["sent": 10_000, "retried": 30])
        },
        Case(name: "rejected jobs", found: ["unknown"]) {
            $0.minute = Pulse.Recent(counts: ["jobs_rejected": 2])
        },
        Case(name: "the database accepts no writes", found: ["database"]) {
            $0.link = FleetView(isKnown: false, obstacle: .readOnly)
        },
        Case(name: "apps cannot be read", found: ["database"]) { $0.failures = [.of(.appsUnread)] },
        Case(name: "no permission to read apps", found: ["ours"]) {
            $0.failures = [.of(.appsUnread, "permission denied for table apps (42501)")]
        },
        Case(name: "the database is unavailable, so reads fail", found: ["database"]) {
            $0.link = FleetView(isKnown: false, obstacle: .away)
            $0.failures = [.of(.appsUnread), .of(.marksFail), .of(.cancellationsUnread)]
        },
        Case(name: "the worker's row is locked, and apps cannot be read", found: ["database", "database"]) {
            $0.link = FleetView(isKnown: false, obstacle: .failed("canceling statement due to lock timeout (55P03)"))
            $0.failures = [.of(.appsUnread)]
        },
        Case(name: "dead tokens cannot be marked", found: ["database"]) { $0.failures = [.of(.marksFail)] },
        Case(name: "dead tokens are not marked in time", found: ["database"]) { $0.counts.isMarkingDelayed = true },
        Case(name: "the changed keyring cannot be read", found: ["ours"]) { $0.failures = [.of(.keyringUnread)] },
        Case(name: "a failure without a kind", found: ["unknown"]) {
            $0.failures = [.init(event: EventName("something.new.failed"), error: "it did not work")]
        },
        Case(name: "the clock is wrong", found: ["ours"]) { $0.clockAhead = -600_000 },
        Case(name: "the clock is a little off", found: []) { $0.clockAhead = 2_000 },
        Case(name: "a paused app without jobs", found: ["decision?"]) {
            $0.apps = [AppFacts(app: "com.example.shop", isPaused: true)]
        },
        Case(name: "one output of several answers with errors", found: ["provider"]) {
            $0.minute = Pulse.Recent(counts: ["sent": 10_000, "retried": 117])
            $0.poolTroubles = [.sample("fcm", .failing, answers: 117)]
        },
        Case(name: "a provider rejects all pushes", found: ["unknown"]) {
            $0.poolTroubles = [.sample("apns", .rejecting, answers: 82)]
        },
        Case(name: "a provider rejects all pushes of a credential that it refuses", found: ["provider"]) {
            $0.refusals = [
                Refusal(credential: "1", environment: .production, topic: nil, reason: "Status401", since: $0.now)
            ]
            $0.poolTroubles = [
                PoolTrouble(
                    output: "apns", environment: "production", names: ["1"], kind: .rejecting, answers: 12,
                    concerned: 12)
            ]
        },
        Case(name: "held pushes wait after the end of the cause", found: ["ours?"]) {
            $0.counts.heldUntil = Timestamp(seconds: $0.now.seconds + 600)
        },
        Case(name: "held pushes have returned", found: []) { $0.counts.heldUntil = $0.now },
        Case(name: "pushes wait for a server that is tried once a minute", found: ["unknown"]) {
            $0.minute = Pulse.Recent(counts: ["sent": 100, "held": 30])
        },
        Case(name: "the broker rejects waiting messages", found: ["broker"]) {
            $0.counts.refusedWaiting = ["martlet.delay.2": 1_296]
        },
        Case(name: "the worker's user may not publish results", found: ["ours"]) {
            $0.minute = Pulse.Recent(refused: ["martlet.results": 3])
            $0.counts.refusals = ["martlet.results": "403 ACCESS_REFUSED"]
        },
        Case(name: "a provider is slow", found: ["provider"]) {
            $0.poolTroubles = [.sample("fcm", .slow, answers: 117)]
        },
        Case(name: "all problems at once", found: ["database", "broker", "ours", "consumer", "unknown", "unknown"]) {
            $0.link = FleetView(isKnown: false, obstacle: .away)
            $0.counts.isPublishing = false
            $0.minute = Pulse.Recent(
                counts: ["jobs_rejected": 2, "jobs_held": 1, "retried": 10], refused: ["martlet.results": 1])
        },
    ]

    @Test(arguments: cases) func showsFirstProblemAsHeading(example: Case) {
        let document = StatusDocument(StatusFacts.sample(example.change))
        #expect(
            document.problems.map { $0.party.rawValue + ($0.severity == .notice ? "?" : "") } == example.found,
            "\(document.problems)")
        let first = document.problems.first?.text
        let expected =
            first.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
            ?? (example.name.hasPrefix("it stops")
                ? "Stopping: waiting for pushes on the wire"
                : example.name == "starting" ? "Starting" : "Nothing is wrong")
        #expect(document.heading == expected)
        let escaped = expected.replacing("'", with: "&#39;").replacing("\"", with: "&quot;")
        #expect(StatusPage.render(document).contains("<h1>\(escaped)</h1>"))
        for problem in document.problems { #expect(problem.text.hasSuffix(".") || problem.text.contains(":")) }
    }

    @Test func usesSingularForOne() {
        let minute = Pulse.Recent(
            counts: ["jobs_held": 1, "jobs_unclaimed": 1],
            refused: ["martlet.results": 1, "martlet.delay.5": 1])
        for problem in StatusDocument(.sample { $0.minute = minute }).problems {
            #expect(problem.text.contains(#/1 (job|event|message) /#), "\(problem.text)")
        }
    }

    /// The endpoint and the error show that a port is closed, which is no outage of the provider.
    @Test func namesLastFailedConnection() throws {
        func problem(_ seconds: Int64) -> Problem? {
            StatusDocument(
                .sample {
                    $0.minute = Pulse.Recent(counts: ["retried": 36])
                    $0.warnings = [.failed(at: Timestamp(seconds: $0.now.seconds - seconds))]
                }
            ).problems.first
        }
        #expect(
            problem(10)?.text
                == "36 pushes were delayed for another attempt in the last minute; last failed connection: "
                + "push.example:443: Connection refused.")
        #expect(problem(121)?.text == "36 pushes were delayed for another attempt in the last minute.")
    }

    @Test(arguments: [(0, false), (62, false), (63, true), (-1, true)])
    func reportsRetriesOnlyAMinuteAfterOutage(secondsAgo: Int64, isProblem: Bool) {
        let document = StatusDocument(
            .sample {
                $0.minute = Pulse.Recent(counts: ["retried": 36])
                $0.lastProviderProblem = Timestamp(seconds: $0.now.seconds - secondsAgo)
            })
        #expect(document.problems.contains { $0.kind == .pushesRetried } == isProblem)
    }

    @Test func doesNotReportPausedJobsAsUnsendable() {
        let document = StatusDocument(
            .sample { $0.minute = Pulse.Recent(counts: ["jobs_held": 51, "jobs_paused": 51]) })
        #expect(
            !document.problems.contains { $0.kind == .jobsHeld }, "jobs delayed by a pause are not unsendable")
    }

    @Test func readsUnreachableProvidersFromPools() {
        let warnings: [LoggedWarning] = [.failed(credential: "other"), .failed()]
        func found(open: Int) -> [UnreachableProvider] {
            var page = MetricPage()
            page.add(.poolUnreachable, ["apns", "1", "production", ""], 1)
            page.add(.poolUnreachable, ["apns", "2", "production", ""], 0)
            page.add(.poolConnections, ["apns", "1", "production", "", "open"], open)
            page.add(.poolConnections, ["apns", "2", "production", "", "open"], 3)
            return UnreachableProvider.all(in: page, warnings)
        }
        #expect(found(open: 0).map(\.text) == ["apns production: push.example:443: Connection refused"])
        #expect(found(open: 1).isEmpty)
        #expect(UnreachableProvider.all(in: MetricPage(), warnings).isEmpty)
    }

    @Test func ignoresUnreachableHostIfAnotherIsConnected() {
        var page = MetricPage()
        page.add(.poolUnreachable, ["push", "", "production", "a.example"], 1)
        page.add(.poolConnections, ["push", "", "production", "b.example", "open"], 1)
        #expect(UnreachableProvider.all(in: page, []).isEmpty)
    }

    /// Open connections are of no use if the token endpoint is unreachable.
    @Test func reportsUnreachableTokenEndpointDespiteOpenConnections() {
        var page = MetricPage()
        page.add(.tokenEndpointUnreachable, ["push", "1", "production"], 1)
        page.add(.tokenEndpointUnreachable, ["push", "2", "production"], 0)
        page.add(.poolConnections, ["push", "1", "production", "", "open"], 2)
        #expect(
            UnreachableProvider.all(in: page, [.failed(event: "push.access_token.failed")]).map(\.text)
                == ["push production: push.example:443: Connection refused"])
    }

    @Test func casesCoverEveryParty() {
        let seen = Set(Self.cases.flatMap(\.found).map { $0.replacing("?", with: "") })
        #expect(seen == Set(Problem.Party.allCases.map(\.rawValue)))
    }
}

extension OngoingFailures.Failure {
    fileprivate static func of(_ kind: ProblemKind, _ error: String = "canceling statement due to lock timeout") -> Self
    {
        Self(event: EventName(kind.rawValue), error: error)
    }
}

extension PoolTrouble {
    fileprivate static func sample(_ output: String, _ kind: Kind, answers: Int) -> PoolTrouble {
        PoolTrouble(output: output, environment: "production", kind: kind, answers: answers, concerned: answers)
    }
}

extension FailedAttempt {
    fileprivate static let sample = FailedAttempt(endpoint: "push.example:443", error: "Connection refused")
}

extension LoggedWarning {
    fileprivate static func failed(
        credential: String = "1", event: String = "connection.failed", at: Timestamp = Timestamp(seconds: 0)
    ) -> LoggedWarning {
        LoggedWarning(
            at: at.rfc3339, level: "warning", event: event, message: "Connecting to it failed",
            details: [
                "credential": credential, "environment": "production", "endpoint": "push.example:443",
                "error": credential == "1" ? "Connection refused" : "another",
            ])
    }
}
