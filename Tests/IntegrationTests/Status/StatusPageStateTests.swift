import APNSSimulator
import DeliveryPipeline
import Foundation
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import WorkerTestSupport
import Routing

/// The status page of a worker in each state of the worker, and the access rules of the page.
@Suite(.needsServers, .endsAHang)
struct StatusPageStateTests {
    private static let app = "com.example.shop"
    /// The prefix of the device tokens, which must not appear on the page.
    private static let tokens = "5eed5eed"
    /// The heading while an app has no credential. The app's id is HTML, which the page must escape.
    private static let notice =
        "No credential serves plain pushes of &lt;img/src=x/onerror=alert(1)&gt;"
    private static let hostile = "<img/src=x/onerror=alert(1)>"

    @Test func showsIdleBusyRefusedAndDatabaseOutage() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            try await installation.setApp(App(bundleID: Self.hostile, accounts: ["apns": AppAccount("TEAM000009")]))
            try await installation.setApp(
                App(bundleID: "com.example.paused", accounts: ["apns": AppAccount("TEAM000001")], isPaused: true))
            let look = StatusPageLook(port: try freePort())
            try await installation.withWorker([
                "http.listen": "127.0.0.1:\(look.port)", "retry.delays": "1,2", "worker.name": "push-7",
            ]) { worker in
                try await look.shows("idle", heading: Self.notice, worker.errors, isUsed: true) { document in
                    document.worker.state == "ready" && document.fleet.workers.map(\.state) == ["ready"]
                }
                try await checkTopShowsWorker(installation)
                try await checkAccessRules(look)
                let page = try await look.page()
                #expect(!page.contains(Self.hostile) && page.contains("&lt;img/src=x/onerror=alert(1)&gt;"))

                try await busy(installation, look, worker)
                try await checkAnswerTimes(installation)
                let document = try #require(try await look.document())
                let settings = Dictionary(uniqueKeysWithValues: document.configuration.map { ($0.key, $0) })
                #expect(settings["amqp.url"]?.value == "set" && settings["amqp.url"]?.origin == "file")
                let all = try await look.page()
                #expect(!all.contains(Self.tokens) && !all.contains("PRIVATE KEY") && !all.contains("BEGIN "))

                try await installation.database.withoutConnections {
                    let heading = "PostgreSQL does not answer this worker"
                    try await look.shows("database-away", heading: heading, worker.errors) { document in
                        document.fleet.stale && !document.warnings.isEmpty && document.fleet.workers.count == 1
                    }
                }
                try await look.shows("database-back", heading: Self.notice, worker.errors) { !$0.fleet.stale }

                var faults = StandingFaults()
                faults.answer = PlannedAnswer(.invalidProviderToken)
                await installation.simulator.setFaults(faults)
                try await installation.publish([JobText("refused", app: Self.app, to: Token.random(count: 20))])
                try await look.shows(
                    "refused", heading: nil, worker.errors
                ) { document in
                    document.problems.first?.kind == "credential.refused"
                        && document.apps.shown.first?.app == Self.app
                        && document.apps.shown.first?.trouble == ["InvalidProviderToken in production"]
                }
                await installation.simulator.setFaults(StandingFaults())
            }
        }
    }

    @Test func showsStartingWhileWaitingForDatabase() async throws {
        try await Installation.with { installation in
            let (look, refusing) = (StatusPageLook(port: try freePort()), try RefusingPort())
            let worker = try installation.startWorker([
                "http.listen": "127.0.0.1:\(look.port)", "database.url": "postgres://127.0.0.1:\(refusing.port)/none",
            ])
            defer { worker.signal(SIGKILL) }
            try await look.shows("starting", heading: nil, worker.errors) {
                $0.worker.state == "starting" && $0.problems.map(\.kind) == ["database.waiting"]
            }
            worker.signal(SIGTERM)
            #expect(try await worker.finish().status == 0)
        }
    }

    /// A push waits for a connection, and another waits for an access token. No outcome has been published yet.
    @Test func showsUnreachableProviders() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let (look, refusing) = (StatusPageLook(port: try freePort()), try RefusingPort())
            let end = "127.0.0.1:\(refusing.port)"
            try await addServiceAccount(installation, tokensAt: end)
            let settings = [
                "http.listen": "127.0.0.1:\(look.port)", "apns.endpoint.production": end, "fcm.token_endpoint": end,
                // Any server is good enough, because nothing is sent to it without a token.
                "fcm.endpoint": "127.0.0.1:\(installation.simulator.port)", "fcm.ca_file": installation.path("ca.pem"),
            ]
            try await installation.withWorker(settings) { worker in
                try await installation.publish([
                    JobText("one", app: Self.app, to: [Token.random()]),
                    JobText("two", app: Self.app, to: ["a:APA91bH"], more: #","output":"fcm""#),
                ])
                let missed = ["apns production: \(end): ", "fcm production: \(end): "]
                try await eventually("the page shows both problems: \(worker.errors)") {
                    guard let problems = try await look.document()?.problems.filter({ $0.severity == "trouble" }) else {
                        return false
                    }
                    return problems.map(\.party) == ["network", "network"]
                        && missed.allSatisfy { text in problems.contains { $0.text.contains(text) } }
                }
                try await look.shows("unreachable", heading: nil, worker.errors) {
                    $0.problems.map(\.kind) == ["provider.unreachable", "provider.unreachable"]
                }
                try await eventually("doctor reports both problems: \(worker.errors)") {
                    let doctor = try await installation.martlet(["doctor"])
                    return doctor.status == 1
                        && missed.allSatisfy {
                            doctor.output.contains(
                                "FAIL  problem       network: No connection for half a minute or longer: \($0)")
                        }
                }
                try await eventually("why reports both problems, while the job waits for its next attempt") {
                    let why = try await installation.martlet(["why", "--job", "two"]).output
                    return why.contains("; workers report: network: ") && missed.allSatisfy(why.contains)
                }
            }
        }
    }

    private func addServiceAccount(_ installation: Installation, tokensAt endpoint: String) async throws {
        let made = try await Subprocess.run(
            ["/usr/bin/openssl", "genpkey", "-quiet", "-algorithm", "RSA", "-out", "key.pem"], in: installation.folder)
        #expect(made.status == 0, "\(made)")
        let account = [
            "type": "service_account", "project_id": "shop-1a2b3", "private_key_id": "0123abcd",
            "private_key": try String(contentsOfFile: installation.path("key.pem"), encoding: .utf8),
            "client_email": "push@shop-1a2b3.iam.gserviceaccount.com", "token_uri": "https://\(endpoint)/token",
        ]
        let file = try installation.write(
            String(decoding: try JSONEncoder().encode(account), as: UTF8.self), to: "account.json")
        let settings = ["fcm.token_endpoint": endpoint]
        for command in [
            ["credential", "import", file, "--output", "fcm"], ["app", "set", Self.app, "--project", "shop-1a2b3"],
        ] {
            let done = try await installation.martlet(command, settings)
            #expect(done.status == 0, "\(done)")
        }
    }

    /// The pushes on the wire get no answer, so the worker drains until the second signal.
    @Test func showsDraining() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.app)
            let look = StatusPageLook(port: try freePort())
            let worker = try installation.startWorker([
                "http.listen": "127.0.0.1:\(look.port)", "worker.drain_timeout": "3600",
                "apns.request_timeout": "3600", "worker.name": "push-7",
            ])
            defer { worker.signal(SIGKILL) }
            try await look.shows("begun", heading: "Nothing is wrong", worker.errors) { $0.worker.state == "ready" }
            try await installation.publish([JobText("last", app: Self.app, to: Token.random(Token.never, count: 5))])
            try await eventually(worker.errors) { await installation.simulator.counters().arrivals > 0 }
            worker.signal(SIGTERM)
            try await look.shows(
                "draining", heading: "Stopping: waiting for pushes on the wire", worker.errors
            ) { document in
                document.worker.state == "draining" && document.fleet.workers.map(\.state) == ["draining"]
            }
            worker.signal(SIGTERM)
            _ = try await worker.finish()
        }
    }

    @Test func protectsOrHidesPageAsConfigured() async throws {
        try await Installation.with { installation in
            let (look, token) = (StatusPageLook(port: try freePort()), "a token of some length")
            let file = try installation.write(token + "\n", to: "token")
            let settings = ["http.listen": "127.0.0.1:\(look.port)", "http.token_file": file]
            try await installation.withWorker(settings) { worker in
                try await eventually(worker.errors) { try await look.curl("health").contains("200 OK") }
                for path in ["", "status.json", "status.css", "metrics"] {
                    let turnedAway = try await look.curl(path)
                    #expect(turnedAway.contains("401 Unauthorized"), "\(path): \(turnedAway)")
                    for shown in [["-H", "Authorization: Bearer \(token)"], ["-u", "anna:\(token)"]] {
                        #expect(try await look.curl(path, shown).contains("200 OK"), "\(path)")
                    }
                }
                try await eventually(worker.errors) { try await look.curl("ready").contains("200 OK") }
            }
            let hidden = ["http.listen": "127.0.0.1:\(look.port)", "http.status": "false", "http.token_file": ""]
            try await installation.withWorker(hidden) { worker in
                try await eventually(worker.errors) { try await look.curl("health").contains("200 OK") }
                for path in ["", "status.json", "status.js"] {
                    #expect(try await look.curl(path).contains("404 Not Found"), "\(path)")
                }
                #expect(try await look.curl("metrics").contains("martlet_consuming"))
            }
            let bad = try await installation.martlet(
                ["worker"], ["http.token_file": installation.write("short", to: "bad")])
            #expect(bad.status == 78 && bad.errors.contains("http.token_file"), "\(bad)")
        }
    }

    /// Publishes jobs until the page shows a busy worker.
    private func busy(_ installation: Installation, _ look: StatusPageLook, _ worker: Subprocess) async throws {
        let publishing = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                let jobs = (0..<20).map {
                    JobText("busy-\(number)-\($0)", app: Self.app, to: Token.random(Self.tokens, count: 50))
                }
                try await installation.publish(jobs, lane: number % 3 == 0 ? .urgent : .normal)
            }
        }
        try await look.shows("busy", heading: Self.notice, worker.errors) { document in
            document.worker.rate > 0 && document.worker.minute["sent"] ?? 0 > 0
                && document.lanes.contains { $0.rate > 0 } && document.fleet.workers.count == 1
                && document.pools.shown.first.map { $0.open > 0 && $0.streamsLimit > 0 } == true
        }
        publishing.cancel()
        _ = await publishing.result
    }

    /// Checks that `martlet top` shows the worker, which has its row in the database.
    private func checkTopShowsWorker(_ installation: Installation) async throws {
        for arguments in [["top"], ["top", "--once"]] {
            let top = try await installation.martlet(arguments)
            #expect(top.status == 0 && top.output.hasPrefix("1 worker, ") && top.output.contains("push-7"), "\(top)")
            #expect(!top.output.contains("\u{1B}"), "\(top)")
            #expect(top.output.contains(#/WORKER +STATE .*\npush-7 +ready /#), "\(top)")
        }
    }

    /// Checks that `martlet top` and `martlet doctor` show the measured answer times.
    private func checkAnswerTimes(_ installation: Installation) async throws {
        let row = #/OUTPUT +ENVIRONMENT +ACCEPTED.* P99 OF SLOWEST WORKER\napns +production +[1-9].* m?s \(push-7\)/#
        try await eventually("top shows the answer times") {
            try await installation.martlet(["top", "--once"]).output.contains(row)
        }
        let doctor = try await installation.martlet(["doctor"])
        #expect(
            doctor.output.contains(
                #/ok +answers +apns production: [1-9][0-9,]* accepted, .* the 99th percentile [0-9.]+ m?s \(push-7\)\n/#
            ),
            "\(doctor)")
    }

    /// Checks that only GET and HEAD are allowed, and that other sites can't read the page.
    private func checkAccessRules(_ look: StatusPageLook) async throws {
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            let answer = try await look.curl("", ["-X", method])
            #expect(
                answer.contains("405 Method Not Allowed") && answer.lowercased().contains("allow: get, head"),
                "\(answer)")
        }
        let head = try await look.curl("", ["--head"])
        #expect(head.contains("200 OK"), "\(head)")
        for path in ["", "status.json", "status.css", "status.js", "nothing", "metrics"] {
            let answer = try await look.curl(path).lowercased()
            for header in [
                "content-security-policy: default-src 'none';", "x-content-type-options: nosniff",
                "referrer-policy: no-referrer", "cache-control: no-store",
            ] {
                #expect(answer.contains(header), "\(path): \(answer.prefix(800))")
            }
        }
        for (host, status) in [("evil.example", "421"), ("localhost", "200"), ("127.0.0.1:1", "200"), ("[::1]", "200")]
        {
            for path in ["", "status.json"] {
                #expect(try await look.curl(path, ["-H", "Host: \(host)"]).hasPrefix("HTTP/1.1 \(status) "), "\(host)")
            }
        }
        #expect(try await look.curl("metrics", ["-H", "Host: push-7.example"]).hasPrefix("HTTP/1.1 200 "))
    }
}
