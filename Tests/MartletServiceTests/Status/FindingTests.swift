import DeliveryPipeline
import MartletService
import Metering
import PushModel
import Store
import Testing

/// What is wrong, and whose fault it is.
@Suite struct FindingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// Whose faults, the first to look at first; with a question mark, a notice.
        let found: [String]
        let change: @Sendable (inout StatusFacts) -> Void

        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "nothing", found: []) { _ in },
        Case(name: "starting", found: []) { $0.stage = .waiting("starting") },
        Case(name: "the database is not there at start", found: ["database"]) {
            $0.stage = .waiting("waiting for the database: connection refused")
        },
        Case(name: "the database is away", found: ["database"]) {
            $0.link = FleetView(isKnown: false, obstacle: .away)
        },
        Case(name: "one attempt failed, and the row is fresh", found: []) {
            $0.link = FleetView(isKnown: true, obstacle: .away)
        },
        Case(name: "no right on the table", found: ["ours?"]) {
            $0.link = FleetView(isKnown: false, obstacle: .refused)
        },
        Case(name: "no connection to the broker", found: ["broker"]) { $0.counts.isConsuming = false },
        Case(name: "it has only just begun", found: []) {
            $0.counts.isConsuming = false
            $0.workingSeconds = 3
        },
        Case(name: "it stops", found: []) {
            $0.counts.isConsuming = false
            $0.view = PipelineView(lanes: [], apps: [], isDraining: true)
        },
        Case(name: "the broker takes nothing", found: ["broker"]) { $0.counts.isPublishing = false },
        Case(name: "the broker's disk stands still", found: ["broker"]) { $0.counts.unconfirmedSeconds = 20 },
        Case(name: "a confirm takes its time", found: []) { $0.counts.unconfirmedSeconds = 5 },
        Case(name: "one of our queues refuses", found: ["broker"]) {
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
        Case(name: "an odd row", found: ["ours"]) { $0.unreadableRows = ["martlet.apps row a can't be read"] },
        Case(name: "jobs of a paused app", found: ["ours?"]) {
            $0.minute = Pulse.Recent(counts: ["jobs_held": 4])
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
        Case(name: "another is not ready", found: ["ours?"]) {
            $0.fleet.members.append(.sample("push-8", state: .hindered))
        },
        Case(name: "a credential has expired", found: ["ours?"]) {
            $0.credentials = [.sample("1", notAfter: Timestamp(seconds: $0.now.seconds - 90_000))]
        },
        Case(name: "a credential ends soon", found: ["ours?"]) {
            $0.credentials = [.sample("1", notAfter: Timestamp(seconds: $0.now.seconds + 5 * 86_400))]
        },
        Case(name: "a credential lasts", found: []) {
            $0.credentials = [
                .sample("1", notAfter: Timestamp(seconds: $0.now.seconds + 50 * 86_400)), .sample("2", notAfter: nil),
            ]
        },
        Case(name: "a credential is refused", found: ["provider"]) {
            $0.refusals = [
                Refusal(
                    credential: "1", environment: .production, topic: nil, reason: "InvalidProviderToken", since: $0.now
                )
            ]
        },
        Case(name: "tokens of the other environment", found: ["publisher"]) {
            $0.refusals = [
                Refusal(
                    credential: "1", environment: .production, topic: "com.example.shop (device tokens)",
                    reason: "BadDeviceToken", since: $0.now)
            ]
        },
        Case(name: "a provider answers with errors", found: ["provider"]) {
            $0.minute = Pulse.Recent(counts: ["sent": 100, "retried": 30])
        },
        Case(name: "no connection comes about, and next to nothing waits for one", found: ["network"]) {
            $0.unreachable = [UnreachableProvider(output: "apns", environment: "production", attempt: .sample)]
        },
        Case(name: "a few pushes are tried again", found: []) {
            $0.minute = Pulse.Recent(counts: ["sent": 10_000, "retried": 30])
        },
        Case(name: "jobs that can't be used", found: ["publisher"]) {
            $0.minute = Pulse.Recent(counts: ["jobs_rejected": 2])
        },
        Case(name: "all at once", found: ["database", "broker", "provider", "consumer", "publisher", "ours?"]) {
            $0.link = FleetView(isKnown: false, obstacle: .away)
            $0.counts.isPublishing = false
            $0.minute = Pulse.Recent(
                counts: ["jobs_rejected": 2, "jobs_held": 1, "retried": 10], refused: ["martlet.results": 1])
        },
    ]

    @Test(arguments: cases) func theFirstLineSaysWhoseFaultItIs(example: Case) {
        let document = StatusDocument(StatusFacts.sample(example.change))
        #expect(
            document.findings.map { $0.fault.rawValue + ($0.weight == .notice ? "?" : "") } == example.found,
            "\(document.findings)")
        let first = document.findings.first.flatMap { $0.weight == .trouble ? $0.fault.verdict : nil }
        let expected =
            first
            ?? (example.name.hasPrefix("it stops")
                ? "Stopping: what is on the wire is being finished"
                : example.name == "starting" ? "Starting" : "Nothing is wrong")
        #expect(document.heading == expected)
        #expect(StatusPage.render(document).contains("<h1>\(expected)</h1>"))
        for finding in document.findings { #expect(finding.text.hasSuffix(".") || finding.text.contains(":")) }
    }

    @Test func oneIsNotSeveral() {
        let minute = Pulse.Recent(
            counts: ["jobs_held": 1, "jobs_unclaimed": 1],
            refused: ["martlet.results": 1, "martlet.delay.5": 1])
        for finding in StatusDocument(.sample { $0.minute = minute }).findings {
            #expect(finding.text.contains(#/1 (job|event|message) /#), "\(finding.text)")
        }
    }

    /// Whoever looks at a port that is closed should not be sent to somebody's status page.
    @Test func theLastAttemptToConnectIsTold() throws {
        func finding(_ seconds: Int64) -> Finding? {
            StatusDocument(
                .sample {
                    $0.minute = Pulse.Recent(counts: ["retried": 36])
                    $0.problems = [.failed(at: Timestamp(seconds: $0.now.seconds - seconds))]
                }
            ).findings.first
        }
        #expect(
            finding(10)?.text
                == "36 pushes were put back in the last minute, to be tried again; connecting failed last to "
                + "push.example:443: Connection refused.")
        #expect(finding(10)?.todo.contains("`martlet credential check --all`") == true)
        #expect(finding(121)?.text == "36 pushes were put back in the last minute, to be tried again.")
    }

    /// Long before the pushes are given up.
    @Test func aProviderThatAnswersNothingIsTold() {
        let registry = MetricRegistry()
        let (streams, other) = (
            registry.cell(.poolStreams, ["apns", "1", "production"]),
            registry.cell(.poolStreams, ["push", "2", "production"])
        )
        let answers = ["200", "5xx"].map { registry.histogram(.answers, ["push", "production", $0]) }
        var watch = AnswerWatch()
        let start = ContinuousClock.now
        func found(at second: Int) -> String? {
            watch.look(at: registry.page(of: AnswerWatch.families), now: start + .seconds(second))
            return StatusDocument(.sample { $0.silent = watch.silent }).findings.first?.text
        }
        #expect(found(at: 0) == nil)
        streams.add(1_573)
        other.add(7)
        for second in stride(from: 2, to: 26, by: 2) { #expect(found(at: second) == nil) }
        answers[0].observe(9)
        #expect(found(at: 26) == nil)
        #expect(
            found(at: 28)
                == "A provider answers nothing: apns production for 26 s (pushes on the wire: 1,573).")
        answers[1].observe(9)
        streams.add(-1_573)
        #expect(found(at: 30) == nil, "nothing waits for it")
        streams.add(1)
        for second in stride(from: 32, to: 56, by: 2) {
            if second == 50 { answers[0].observe(9) }
            #expect(found(at: second) == nil, "it begins anew")
        }
        #expect(found(at: 58)?.hasSuffix("apns production for 26 s (pushes on the wire: 1).") == true)
    }

    @Test func whatNoConnectionComesAboutToIsReadFromThePools() {
        let problems: [Problem] = [.failed(credential: "other"), .failed()]
        func found(open: Int) -> [UnreachableProvider] {
            var page = MetricPage()
            page.add(.poolUnreachable, ["apns", "1", "production"], 1)
            page.add(.poolUnreachable, ["apns", "2", "production"], 0)
            page.add(.poolConnections, ["apns", "1", "production", "open"], open)
            page.add(.poolConnections, ["apns", "2", "production", "open"], 3)
            return UnreachableProvider.all(in: page, problems)
        }
        #expect(found(open: 0).map(\.text) == ["apns production: push.example:443: Connection refused"])
        #expect(found(open: 1).isEmpty)
        #expect(UnreachableProvider.all(in: MetricPage(), problems).isEmpty)
    }

    /// Connections for pushes are of no use then.
    @Test func anEndpointOfAccessTokensIsMissedThoughConnectionsAreOpen() {
        var page = MetricPage()
        page.add(.tokenEndpointUnreachable, ["push", "1", "production"], 1)
        page.add(.tokenEndpointUnreachable, ["push", "2", "production"], 0)
        page.add(.poolConnections, ["push", "1", "production", "open"], 2)
        #expect(
            UnreachableProvider.all(in: page, [.failed(event: "push.access_token.failed")]).map(\.text)
                == ["push production: push.example:443: Connection refused"])
    }

    @Test func everyFaultIsSeen() {
        let seen = Set(Self.cases.flatMap(\.found).map { $0.replacing("?", with: "") })
        #expect(seen == Set(Finding.Fault.allCases.map(\.rawValue)))
    }
}

extension FailedAttempt {
    fileprivate static let sample = FailedAttempt(endpoint: "push.example:443", error: "Connection refused")
}

extension Problem {
    fileprivate static func failed(
        credential: String = "1", event: String = "connection.failed", at: Timestamp = Timestamp(seconds: 0)
    ) -> Problem {
        Problem(
            at: at.rfc3339, level: "warning", event: event, message: "Connecting to it failed",
            details: [
                "credential": credential, "environment": "production", "endpoint": "push.example:443",
                "error": credential == "1" ? "Connection refused" : "another",
            ])
    }
}
