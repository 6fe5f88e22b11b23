import AMQPClient
import APNSSimulator
import Contract
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import TestTraits
import Testing

/// The recipes of docs/brokers.md, run as documented with a real broker.
@Suite(.serialized, BrokerServers(), .needsServers)
struct BrokersPageTests {
    static let app = "com.example.shop"
    static let password = "worker-password"

    // MARK: Users

    @Test func grantsUsersOnlyDocumentedRights() async throws {
        try await with { installation, servers in
            let recipe = try Recipe("Users").shell().replacing("rabbitmqctl add_user martlet-worker", with: ": add")
            let names = installation.names
            let users = ["worker", "shop", "shop-results", "billing", "anna"]
            try await servers.run(
                own(recipe, installation),
                files: Dictionary(uniqueKeysWithValues: users.map { ("\($0).password", "secret") }),
                in: installation.folder)
            let shop = try url(of: "shop", "secret", installation)
            let billing = try url(of: "billing", "secret", installation)
            #expect(await publishes(to: names.jobs, shop, installation) == nil)
            #expect(await publishes(to: names.results, shop, installation) == 403)
            #expect(await publishes(to: names.jobs, billing, installation) == 403)
            func bound(_ queue: String, _ key: String) -> AMQPTopology {
                AMQPTopology(
                    queues: [AMQPQueue(name: queue, isDurable: false, isExclusive: true)],
                    bindings: [AMQPBinding(queue: queue, exchange: names.results, routingKey: key)])
            }
            // Each binding gets its own queue, because the broker deletes the exclusive queue of a closed connection
            // with a delay.
            for (number, key) in [
                "apns.sent.com.example.shop", "*.unregistered.com.example.shop", "apns.*.com.example.shop",
            ]
            .enumerated() {
                #expect(await declares(bound("billing.results.\(number)", key), billing, installation) == nil, "\(key)")
            }
            for (number, key) in ["apns.sent.com.example.other", "*.unregistered.#", "*.*.*.*.*", "#"].enumerated() {
                let refusal = await declares(bound("billing.others.\(number)", key), billing, installation)
                #expect(refusal == .accessRefused, "billing may not bind other apps' results: \(key)")
            }
            let billings = bound("billing.results", "apns.sent.com.example.shop")
            #expect(await declares(billings, shop, installation) == .accessRefused)
            // The queue and the binding that examples/clients declare.
            let example = try Documents.text("examples/clients/python/consume.py")
            #expect(example.contains(#"QUEUE = "shop.push-results""#) && example.contains(##"f"*.{kind}.#""##))
            let results = try url(of: "shop-results", "secret", installation)
            #expect(await declares(bound("shop.push-results", "*.unregistered.#"), results, installation) == nil)
            #expect(await publishes(to: names.jobs, results, installation) == 403)
            // No worker runs, so the command publishes the job, and its wait for the outcome times out.
            let waited = try await installation.martlet(
                ["job", "publish", "--wait", "1"], ["amqp.url": try url(of: "anna", "secret", installation)],
                input: JobText("order-1", app: Self.app, to: [Token.random()]).json)
            #expect(waited.errors.contains("after 1 s, outcomes are missing for 1 of 1 recipient"), "\(waited)")
            try await checkOperatorRights(installation, url(of: "anna", "secret", installation), shop)
        }
    }

    // MARK: Fixed topology

    @Test func waitsForFixedTopologyThenDelivers() async throws {
        try await with(hasTopology: false) { installation, servers in
            let user = "\(installation.names.prefix)-worker"
            let changes = [
                "amqp.declare": "false", "amqp.url": try url(of: user, Self.password, installation),
            ]
            let configuration = try installation.configuration(changes.mapValues { $0 })
            // If the user has no permissions, RabbitMQ before 4.2.6 reports the missing objects, and later versions
            // refuse access.
            try await servers.run(
                "rabbitmqctl add_user \(user) < worker.password; rabbitmqctl set_permissions -p / \(user) '^$' '^$' '^$'",
                files: ["worker.password": Self.password], in: installation.folder)
            try await installation.withWorker(changes.mapValues { $0 }) { worker in
                try await eventually(worker.errors) {
                    worker.errors.contains("broker.incomplete")
                        || worker.errors.contains("403 ACCESS_REFUSED - read access")
                }
                let prefix = installation.names.prefix.replacing(".", with: "\\.")
                try await servers.run(
                    "rabbitmqctl set_permissions -p / \(user) '^$' "
                        + "'^\(prefix)\\.(jobs|moved|results|dead|delay\\.[0-9]+)$' '^\(prefix)\\.(jobs\\..*|dropped)$'",
                    in: installation.folder)
                try await eventually(worker.errors) { worker.errors.contains("broker.incomplete") }
                #expect(
                    worker.errors.contains("the broker has no exchange \(installation.names.dead)")
                        && worker.errors.contains("no queue \(installation.names.queue(of: Lane.urgent))")
                        && worker.errors.contains("'martlet topology' prints it"), "\(worker.errors)")
                try await servers.run(
                    own(try Recipe("Fixed topology").shell(), installation), martlet: configuration,
                    in: installation.folder)
                try await deliver(installation, worker)
            }
            let doctor = try await installation.martlet(["doctor"], changes.mapValues { $0 })
            #expect(doctor.status == 0 && doctor.output.contains("ok    queues"), "\(doctor)")
            #expect(doctor.output.contains("ok    write") && doctor.output.contains("ok    read"), "\(doctor)")
            let declared = try await installation.martlet(["doctor", "--declare"], changes.mapValues { $0 })
            #expect(declared.status == 1 && declared.output.contains("amqp.declare: false"), "\(declared)")
        }
    }

    @Test(.enabled(if: BrokerServers.hasAdmin, "rabbitmqadmin is not installed"))
    func createsSameTopologyWithRabbitmqadmin() async throws {
        try await with(hasTopology: false) { installation, servers in
            let configuration = try installation.configuration()
            // rabbitmqadmin needs the management plugin, which the recipe does not enable.
            try await servers.run("rabbitmq-plugins enable rabbitmq_management", in: installation.folder)
            try await servers.run(
                """
                until rabbitmqadmin show overview > overview 2>&1; do :; done
                martlet topology --format rabbitmqadmin --users --ledger > commands
                sh -e commands
                for user in worker ledger; do
                    rabbitmqctl change_password \(installation.names.prefix)-$user < worker.password
                done
                """, files: ["worker.password": Self.password], martlet: configuration, in: installation.folder)
            let topology = installation.names.topology(delays: RetryPolicy().delays)
            let found = try await AMQPInspection.look(
                at: topology, on: try AMQPConfiguration(url: try servers.administratorURL), comparesProperties: true)
            #expect(found.missing == [] && found.problems == [], "\(found)")
            let changes = [
                "amqp.declare": "false",
                "amqp.url": try url(of: "\(installation.names.prefix)-worker", Self.password, installation),
            ]
            let ledger = try url(of: "\(installation.names.prefix)-ledger", Self.password, installation)
            try await installation.withWorker(changes.mapValues { $0 }) { worker in
                try await installation.withLedger(["amqp.declare": "false", "amqp.url": ledger]) { ledger in
                    try await deliver(installation, worker)
                    try await eventually("the ledger has the outcome: \(ledger.errors)") {
                        try await installation.martlet(["why", "--job", "order-1"]).status == 0
                    }
                }
            }
        }
    }

    @Test func listsWholeTopologyAsTable() async throws {
        try await with { installation, _ in
            let printed = try await installation.martlet(
                ["topology", "--users"], ["retry.delays": "7", "amqp.declare": "false"])
            let names = installation.names
            for name in [names.jobs, names.queue(of: Lane.bulk), names.delay(seconds: 7), names.results] {
                #expect(printed.output.contains(name), "\(printed)")
            }
            #expect(printed.output.contains(#/-worker +\^\$ /#), "\(printed)")
            let normal = names.queue(of: Lane.normal)
            #expect(printed.output.contains(try Regex("binding +\(normal) +of \(names.jobs) +key \"\"")), "\(printed)")
            let refused = try await installation.martlet(["topology", "--format", "toml"])
            #expect(refused.status == 64, "\(refused)")
        }
    }

    // MARK: Rotate a password

    @Test func reconnectsWithChangedPasswordWithoutRestart() async throws {
        try await with { installation, servers in
            let user = "\(installation.names.prefix)-rotating"
            try await servers.run(
                """
                rabbitmqctl add_user \(user) < worker.password
                rabbitmqctl set_permissions -p / \(user) '^martlet\\..*' '^martlet\\..*' '^martlet\\..*'
                """, files: ["worker.password": "first", "amqp-url": try url(of: user, "first", installation)],
                in: installation.folder)
            let environment = ["MARTLET_AMQP_URL_FILE": installation.path("amqp-url")]
            try await installation.withWorker(["amqp.url": nil], environment: environment) { worker in
                try await deliver(installation, worker)
                let template = try url(of: user, "%s", installation)
                try await servers.run(
                    try Recipe("Rotate a password").shell()
                        .replacing("amqps://martlet-worker:%s@rabbit-1.example.net/", with: template)
                        .replacing("martlet-worker", with: user),
                    files: ["worker.password": "an0ther"], in: installation.folder)
                try await eventually(worker.errors) { worker.errors.contains("Lost the connection") }
                try await deliver(installation, worker, among: 2)
                // If the file is missing or invalid, the worker uses the last password.
                for text in [nil, "nonsense"] {
                    if let text {
                        try installation.write(text, to: "amqp-url")
                    } else {
                        try FileManager.default.removeItem(atPath: installation.path("amqp-url"))
                    }
                    try await servers.run(
                        "rabbitmqctl close_all_user_connections \(user) again", in: installation.folder)
                    try await eventually(worker.errors) {
                        worker.errors.contains("configuration.secret.unreadable")
                    }
                    try await deliver(installation, worker, among: text == nil ? 3 : 4)
                }
                #expect(!worker.errors.contains("an0ther") && !worker.errors.contains("nonsense"), "\(worker.errors)")
            }
        }
    }

    // MARK: Client certificates

    @Test func authenticatesWorkerByCertificate() async throws {
        // The recipe removes the worker's password. The test restores it at the end, because other tests need it.
        let current = try #require(BrokerServers.current)
        let url = try #require(URLComponents(string: try current.installation.broker))
        try await with(asAdministrator: true) { installation, servers in
            try await servers.run(try Recipe("Client certificates").shell(), in: installation.folder)
            var changes: [String: String?] = [:]
            for line in try Recipe("Client certificates").yaml().matches(of: /(?m)^  (\w+): "?([^"\n]*)"?$/) {
                changes["amqp.\(line.1)"] = String(line.2)
                    .replacing("rabbit-1.example.net", with: "localhost:\(servers.tlsPort)")
                    .replacing("/etc/martlet/ca.pem", with: servers.certificates.path("ca.pem"))
                    .replacing("/etc/martlet/worker.", with: servers.certificates.path("martlet-worker."))
            }
            try await installation.withWorker(changes) { try await deliver(installation, $0) }
            let doctor = try await installation.martlet(["doctor"], changes)
            #expect(doctor.status == 0 && doctor.output.contains("as martlet-worker"), "\(doctor)")
            let asked = try await installation.martlet(["doctor", "--management", "http://127.0.0.1:1"], changes)
            #expect(
                asked.status == 0
                    && asked.output.contains(
                        "WARN  management    not checked: it requires a password, and martlet-worker"),
                "\(asked)")
            // The URL names a different user than the certificate.
            changes["amqp.url"] = changes["amqp.url"]??.replacing("martlet-worker@", with: "somebody@")
            let other = try await installation.martlet(["doctor"], changes)
            #expect(other.status == 1 && other.output.contains("is not known to the broker as somebody"), "\(other)")
            try await servers.run(
                "rabbitmqctl change_password martlet-worker < worker.password",
                files: ["worker.password": url.password ?? ""], in: installation.folder)
        }
    }

    // MARK: Policies, nodes, doctor

    @Test func doctorReadsPoliciesAndLeaders() async throws {
        try await with { installation, servers in
            let prefix = installation.names.prefix
            func policy(_ number: Int) throws -> String {
                try Recipe("Policies").shell(number).replacing(#"'^martlet\.jobs\.'"#, with: "'^\(prefix).jobs.'")
            }
            try await servers.run(try policy(0), in: installation.folder)
            try await servers.run(try Recipe("Several nodes").shell(), in: installation.folder)
            try await servers.run("rabbitmq-plugins enable rabbitmq_management", in: installation.folder)
            let address = "http://127.0.0.1:\(servers.managementPort)"
            let unknown = try await installation.martlet(["doctor", "--management", address])
            #expect(unknown.status == 0 && unknown.output.contains("WARN  management"), "\(unknown)")
            let asAdministrator = ["amqp.url": try servers.administratorURL]
            let known = try await installation.martlet(["doctor", "--management", address], asAdministrator)
            #expect(known.status == 0 && known.output.contains("ok    leaders"), "\(known)")
            #expect(known.output.contains("ok    broker clock"), "\(known)")
            #expect(known.output.contains("ok    bindings"), "\(known)")
            do {
                try await servers.run(try policy(1), in: installation.folder)
                // The management API shows a policy after its next collection of statistics.
                try await eventually("doctor shows the policy's ack timeout") {
                    // Workers request a timeout of their own if the broker is RabbitMQ 4.3 or later.
                    try await installation.martlet(["doctor", "--management", address], asAdministrator)
                        .output.contains(/ok    ack timeout   (at least 1800000 ms, by policy|30 minutes: each worker)/)
                }
            } catch let refusal as Failure {
                // RabbitMQ before 3.12 does not support this policy.
                #expect(refusal.description.contains("not recognised"), "\(refusal)")
                #expect(known.output.contains("note  ack timeout"), "\(known)")
            }
            let secret = try await installation.martlet(["doctor", "--management", "http://a:b@127.0.0.1:1"])
            #expect(secret.output.contains("must not contain user and password") && secret.status == 1, "\(secret)")
        }
    }

    @Test func doctorTestsRightsAndLeavesNoMessages() async throws {
        try await with { installation, servers in
            let names = installation.names
            let user = "\(names.prefix)-poor"
            func grant(write: String, read: String) async throws {
                try await servers.run(
                    "rabbitmqctl set_permissions -p / \(user) '^$' '\(write)' '\(read)'", in: installation.folder)
            }
            try await servers.run(
                "rabbitmqctl add_user \(user) < worker.password", files: ["worker.password": Self.password],
                in: installation.folder)
            let changes = ["amqp.declare": "false", "amqp.url": try url(of: user, Self.password, installation)]
            let prefix = names.prefix.replacing(".", with: "\\.")
            try await grant(write: "^\(prefix)\\.(jobs|dead|results|delay\\..*)$", read: "^\(prefix)\\.jobs\\..*$")
            let poor = try await installation.martlet(["doctor", "--json"], changes.mapValues { $0 })
            #expect(poor.status == 1, "\(poor)")
            let problems = try await SchemaValidator.problems(
                in: [poor.output.replacing("\n", with: "")], schema: "doctor.schema.json")
            #expect(problems.isEmpty, "\(problems) \(poor)")
            let document = try JSONDecoder().decode(Document.self, from: Data(poor.output.utf8))
            #expect(document.ok == false)
            #expect(Set(document.findings.filter { $0.level == "error" }.map(\.name)) == ["read", "write"], "\(poor)")
            #expect(document.text(of: "write").contains("may not write to \(names.prefix).moved: 403"), "\(poor)")
            #expect(document.text(of: "read") == "may not read \(names.dropped)", "\(poor)")

            try await grant(
                write: "^\(prefix)\\.(jobs|dead|results|moved|delay\\..*)$", read: "^\(prefix)\\.(jobs\\..*|dropped)$")
            let good = try await installation.martlet(["doctor", "--json"], changes.mapValues { $0 })
            #expect(good.status == 0, "\(good)")
            #expect(
                try await installation.waitingMessages(delays: RetryPolicy().delays) == [:], "doctor leaves no message")
            #expect(installation.results.count == 0 && installation.results.rejections.isEmpty)
        }
    }

    private struct Document: Decodable {
        struct Finding: Decodable {
            let level: String
            let name: String
            let text: String
        }

        let ok: Bool
        let findings: [Finding]

        func text(of name: String) -> String { findings.first { $0.name == name }?.text ?? "" }
    }
}
