import Contract
import DeliveryPipeline
import Foundation
import Logging
import MartletWorker
import Observability
import PushModel
import Store
import TestSupport
import Testing
import WorkerTestSupport

@Suite struct StatusPageTests {
    /// Returns the names of the page's elements in the order in which they open, or `nil` if the page is not
    /// well-formed.
    private func elements(_ page: String) -> [String]? {
        var (open, seen): ([String], [String]) = ([], [])
        for tag in page.matches(of: /<(\/?)([a-z0-9]+)((?: [a-zA-Z-]+="[^"<>]*")*)>/) {
            let name = String(tag.2)
            if tag.1.isEmpty {
                seen.append(name)
                if !["meta", "link"].contains(name) { open.append(name) }
            } else {
                guard open.popLast() == name else { return nil }
            }
        }
        // The text outside of tags must contain no bracket and no bare quotation mark.
        let text = page.replacing(/<!doctype html>|<\/?[a-z0-9]+(?: [a-zA-Z-]+="[^"<>]*")*>/, with: "")
        return open.isEmpty && !text.contains(/[<>"'`]|&(?!(?:lt|gt|amp|quot|#39|#96);)/) ? seen : nil
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "</title></table><h1>",
        "&lt;b&gt; &#60;i&#62;", "`${alert(1)}`", "javascript:alert(1)", "{{7*7}}", "\u{202E}txt.exe\u{0}\n\u{1B}[2J",
        "]]><!--", String(repeating: "<", count: 5_000),
    ])
    func escapesUntrustedText(text: String) async throws {
        let plain = StatusPage.render(StatusDocument(.hostile("x")))
        let page = StatusPage.render(StatusDocument(.hostile(text)))
        let expected = try #require(elements(plain))
        #expect(elements(page) == expected, "the text must not change the page's elements")
        #expect(!page.contains("\u{202E}") && !page.contains("\u{0}") && !page.contains("\u{1B}"))
        let document = StatusDocument(.hostile(text))
        let problems = try await SchemaValidator.problems(
            in: [try document.json().trimmingCharacters(in: .newlines)], schema: "status.schema.json")
        #expect(problems.isEmpty)
    }

    @Test func documentMatchesSchema() async throws {
        var facts = StatusFacts.sample()
        facts.stage = .waiting("starting")
        let documents = [StatusFacts.sample(), .large, .hostile("x"), facts, StatusFacts()].map { StatusDocument($0) }
        let texts = try documents.map { try $0.json().trimmingCharacters(in: .newlines) }
        let problems = try await SchemaValidator.problems(in: texts, schema: "status.schema.json")
        #expect(problems.isEmpty, "\(problems)")
        let bad = try await SchemaValidator.problems(
            in: [texts[0].replacing("\"stale\":", with: "\"fresh\":")], schema: "status.schema.json")
        #expect(!bad.isEmpty, "the schema must reject an unknown field")
    }

    @Test func showsManyAppsAndWorkers() throws {
        let page = StatusPage.render(StatusDocument(.large))
        #expect(elements(page) != nil)
        #expect(page.contains("push-99") && page.contains("Not shown: 980 apps with fewer problems or less work."))
        #expect(page.utf8.count < 200_000)
    }

    @Test func ordersAppsByTroubleThenLoad() {
        let facts = StatusFacts.sample { facts in
            facts.credentials = [.sample("1", notAfter: nil)]
            facts.apps = [
                AppFacts(app: "com.example.idle"), AppFacts(app: "com.example.busy"),
                AppFacts(app: "com.example.lost", unroutable: ["apns: no credential"]),
                AppFacts(app: "com.example.team", accounts: ["apns": "TEAM000001"]),
                AppFacts(app: "com.example.topic"),
                AppFacts(app: "com.example.paused", accounts: ["apns": "TEAM000001"], isPaused: true, rate: 500),
            ]
            facts.view = PipelineView(
                lanes: [], apps: [.init(app: "com.example.busy", waiting: 1, inFlight: 2, rate: 3)], isDraining: false)
            facts.refusals = ["com.example.topic.voip", nil].map {
                Refusal(credential: "1", environment: .production, topic: $0, reason: "Forbidden", since: facts.now)
            }
        }
        let apps = AppStatus.top(of: facts)
        #expect(
            apps.map(\.app) == ["team", "topic", "lost", "paused", "busy", "idle"].map { "com.example.\($0)" })
        #expect(apps[0].trouble == ["Forbidden in production"])
        #expect(
            apps[2].trouble == ["apns: no credential"]
                && apps[3].trouble == ["Forbidden in production", "paused"])
        #expect(apps.map(\.limit) == [nil, nil, nil, 500, nil, nil])
    }

    @Test func loadsOnlyOwnSmallFiles() {
        let page = StatusPage.render(StatusDocument(.sample()))
        #expect(StatusAssets.script.utf8.count < 10_000)
        let asked = page.matches(of: /(?:src|href)="([^"]*)"/).map { String($0.1) }
        #expect(Set(asked) == ["status.css", "status.js", "status.json"])
        #expect(!page.contains(" style=") && !page.contains(#/ on[a-z]+="/#))
        #expect(!StatusAssets.style.contains("url(") && !StatusAssets.script.contains("innerHTML"))
    }

    @Test func keepsLastWarningsAndCountsRepetitions() {
        let ring = WarningRing()
        let logger = WorkerLog(level: .info, sinks: [ring]).logger("test")
        for number in 0..<60 { logger.error("Something", metadata: ["number": "\(number)"]) }
        for _ in 0..<3 { logger.warning("The same", metadata: ["app": "com.example.shop"]) }
        logger.notice("Worker started")
        let all = ring.all
        #expect(all.count == WarningRing.size)
        #expect(all[0].message == "The same" && all[0].times == 3 && all[0].details == ["app": "com.example.shop"])
        #expect(all[1].details == ["number": "59"] && all[49].details == ["number": "11"])
        let long = String(repeating: "x", count: 10_000)
        logger.error("\(long)", metadata: ["y": "\(long)"])
        #expect(ring.all[0].message.count < 400 && ring.all[0].details["y"]?.count ?? 999 < 400)
    }

    @Test func countsLastMinute() {
        var pulse = Pulse()
        let start = ContinuousClock.now
        for second in stride(from: 0, through: 120, by: 2) {
            var counts = PipelineCounts()
            counts.outcomes = ["sent": second * 10]
            counts.retries = second
            counts.messagesRefused = ["martlet.results": second / 2]
            pulse.beat(counts, at: start + .seconds(second))
            if second == 0 { #expect(pulse.minute == Pulse.Recent() && pulse.rate == 0) }
            if second == 30 { #expect(pulse.minute["sent"] == 300) }
        }
        #expect(pulse.minute.counts == ["sent": 600, "retried": 60])
        #expect(pulse.minute.refused == ["martlet.results": 30] && pulse.minute.seconds == 60)
        #expect(pulse.rate == 10)
    }

    /// The last report of a silent worker is out of date.
    @Test func showsNoWorkOfSilentWorker() {
        let report = WorkerReport(
            host: "web-3", pid: 4711, state: .ready, rate: 3_000, minute: ["retried": 2, "held": 1])
        func worker(silentFor seconds: Int) -> FleetWorker {
            FleetWorker(
                FleetMember(
                    id: "1", name: "push-8", version: "0.1.0", outputs: [], uptimeSeconds: 60, silentSeconds: seconds,
                    report: report))
        }
        #expect(worker(silentFor: 1).rate == 3_000 && worker(silentFor: 1).putBack == 3)
        #expect(worker(silentFor: 37).rate == 0 && worker(silentFor: 37).putBack == 0)
    }

    @Test func limitsSizeOfAnyReport() throws {
        let report = WorkerReport(
            host: String(repeating: "\u{1}", count: 1_000), pid: .max, state: .hindered,
            obstacle: String(repeating: "\"", count: 10_000),
            lanes: Lane.allCases.map { .init(lane: $0, waiting: .max, open: .max, rate: .max, age: .max) },
            rate: 1e15, minute: Dictionary(uniqueKeysWithValues: OutcomeKind.allCases.map { ($0.rawValue, .max) }),
            oldestJobSeconds: .max,
            problems: (0..<100).map { _ in
                .init(
                    kind: "provider.unreachable", party: "network", severity: "trouble",
                    subject: String(repeating: "\"", count: 10_000), text: String(repeating: "\"", count: 10_000),
                    since: Timestamp(seconds: 0))
            })
        #expect(try JSONEncoder().encode(report).count < 4_096)
        #expect(try JSONDecoder().decode(WorkerReport.self, from: JSONEncoder().encode(report)) == report)
    }
}
