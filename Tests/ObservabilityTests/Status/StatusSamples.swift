import DeliveryPipeline
import MartletConfiguration
import Observability
import PushModel
import Store
import WorkerTestSupport

extension StatusFacts {
    /// Returns the facts of a healthy, idle worker, as modified by `change`.
    static func sample(_ change: (inout StatusFacts) -> Void = { _ in }) -> StatusFacts {
        var facts = StatusFacts()
        facts.now = Timestamp(seconds: 1_800_000_000)
        facts.startedAt = Timestamp(seconds: 1_799_990_000)
        (facts.name, facts.version, facts.host, facts.pid) = ("push-7", "0.1.0", "web-3", 4711)
        facts.workingSeconds = 9_999
        facts.counts.isConsuming = true
        facts.counts.isPublishing = true
        facts.link = FleetView(isKnown: true)
        facts.fleet = FleetFacts(members: [.sample("push-7")], readSecondsAgo: 1)
        change(&facts)
        return facts
    }

    /// Returns facts in which every text that comes from outside is `text`.
    static func hostile(_ text: String) -> StatusFacts {
        sample { facts in
            facts.apps = [AppFacts(app: text, accounts: ["apns": text], unroutable: [text])]
            facts.view = PipelineView(
                lanes: facts.view.lanes, apps: [.init(app: text, waiting: 1, inFlight: 1, rate: 1)], isDraining: false)
            facts.minute = Pulse.Recent(counts: ["jobs_rejected": 1, "jobs_held": 1], refused: [text: 1])
            facts.refusals = [
                Refusal(credential: text, environment: .production, topic: text, reason: text, since: facts.now)
            ]
            facts.pools = [.sample(text)]
            facts.badTokens = [BadTokens(app: text, environment: .sandbox, reason: text, count: 1)]
            facts.openingProblems = [text]
            facts.warnings = [
                LoggedWarning(at: facts.now.rfc3339, level: "error", message: text, details: [text: text])
            ]
            facts.configuration = [ConfigurationSetting(key: "worker.name", value: text, origin: .file)]
            facts.fleet = FleetFacts(
                members: [.sample(text, obstacle: text)], readSecondsAgo: 0,
                history: .sample(until: facts.now, outputs: [text]))
            (facts.name, facts.host) = (text, text)
        }
    }

    /// The facts of the largest fleet that a page must show.
    static var large: StatusFacts {
        sample { facts in
            facts.apps = (0..<1_000).map { number in
                AppFacts(
                    app: "com.example.app\(number)", accounts: ["apns": "TEAM\(number)"], isPaused: number % 7 == 0,
                    unroutable: number % 50 == 0 ? ["apns: team TEAM\(number) has no credential for the topic"] : [])
            }
            facts.view = PipelineView(
                lanes: facts.view.lanes,
                apps: facts.apps.map { .init(app: $0.app, waiting: 3, inFlight: 40, rate: $0.app.utf8.count) },
                isDraining: false)
            facts.fleet = FleetFacts(
                members: (0..<100).map { .sample("push-\($0)") }, readSecondsAgo: 0,
                history: .sample(100, until: facts.now, outputs: ["apns", "fcm", "webhook", "webpush"]))
            facts.credentials = (0..<1_000).map { number in
                .sample(
                    "credential-\(number)", notAfter: Timestamp(seconds: facts.now.seconds + Int64(number) * 86_400))
            }
            facts.pools = (0..<1_000).map { .sample("credential-\($0)") }
            facts.tokenTimes = ["credential-7": facts.now]
            facts.warnings = (0..<WarningRing.size).map { number in
                LoggedWarning(
                    at: facts.now.rfc3339, level: "warning", message: "Jobs cannot be sent",
                    details: ["app": "com.example.app\(number)", "reason": "no credential for topic \(number)"])
            }
        }
    }
}

extension FleetMember {
    static func sample(
        _ name: String, state: WorkerReport.State = .ready, obstacle: String? = nil, silentFor seconds: Int = 1,
        crashes: Int? = nil
    ) -> FleetMember {
        var report = WorkerReport(
            host: "web-3", pid: 4711, state: state, obstacle: obstacle,
            lanes: Lane.allCases.map { .init(lane: $0, waiting: 2, open: 1, rate: 1_000, age: 1) }, rate: 3_000,
            minute: ["sent": 180_000], oldestJobSeconds: 1)
        report.crashes = crashes
        return FleetMember(
            id: name, name: name, version: "0.1.0", outputs: ["apns"], uptimeSeconds: 9_999, silentSeconds: seconds,
            report: report)
    }
}

extension PoolStatus {
    static func sample(_ credential: String) -> PoolStatus {
        PoolStatus(
            credential: credential, output: "apns", environment: "production", connecting: 1, open: 8, draining: 0,
            streams: 4_000, streamsLimit: 4_000, waiting: 200, windowBlocked: 17)
    }
}
