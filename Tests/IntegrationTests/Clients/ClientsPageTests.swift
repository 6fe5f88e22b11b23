import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import Testing

/// The commands and snippets of docs/clients.md, run by users with the documented permissions.
extension BrokersPageTests {
    private static let page = "docs/clients.md"

    @Test func runsFirstCommandsOfClientsPage() async throws {
        try await with { installation, servers in
            let page = try Documents.text(Self.page)
            let python = try ClientExample.copy(ClientLanguage.python.folder, installation)
            func waiting(for condition: String) -> String {
                "for _ in $(seq 600); do \(condition) && break; sleep 0.1; done"
            }
            let queue = ClientExample.queue(installation)
            let consuming = waiting(for: "rabbitmqctl -q list_consumers | grep -F \(queue) > found")
            let commands = try #require(Documents.blocks("sh", in: page).first)
                .replacing("sudo apt-get install", with: ":")
                .replacing("consume.py &", with: "consume.py > printed &")
                .replacing("sleep 2;", with: "\(waiting(for: "grep -q dead printed")); cat printed;")
                .replacing("sleep 2 ", with: "\(consuming) ")
                .replacing("amqp://guest:guest@127.0.0.1", with: ClientExample.named(installation.servers.broker))
                .replacing("examples/clients/python", with: python.path)
            #expect(!commands.contains("sleep 2"))
            try await installation.withWorker { worker in
                try await installation.eventuallyConsumes(worker)
                let printed = try await servers.run(commands, in: installation.folder)
                let expected = try #require(Documents.blocks("text", in: page).first).split(separator: "26-")[0]
                #expect(printed.hasPrefix(expected), "\(printed)")
            }
            #expect(page.contains(ClientExample.unclearJob("", app: "").line.suffix(54)), "the page shows a `detail`")
            try await installation.broker.delete(queues: [queue], exchanges: [])
        }
    }

    @Test func runsOutboxStatements() async throws {
        try await with { installation, servers in
            let sql = try Recipe("Where to publish from", of: Self.page).block("sql")
                .replacing("$1", with: "'{order-shipped-8841}'")
            let statements = "SET search_path = pg_temp;\n\(sql)\nSELECT count(*) FROM push_outbox;\n"
            let printed = try await servers.run(
                "psql -qAtv ON_ERROR_STOP=1 '\(installation.servers.database)' -f outbox.sql",
                files: ["outbox.sql": statements], in: installation.folder)
            #expect(printed.hasPrefix(#"order-shipped-8841|normal|{"id": "order-shipped-8841", "#), "\(printed)")
            #expect(printed.hasSuffix("\n0\n"), "the confirmed job is deleted: \(printed)")
        }
    }

    @Test func runsExamplesWithDocumentedRights() async throws {
        try await withDocumentedUsers { installation, servers in
            let example = try await ClientExample(.python, queue: "shop.push-results", installation)
            let (publisher, consumer) = (
                try url(of: "shop", "secret", installation), try url(of: "shop-results", "secret", installation)
            )
            try await prints(example, publisher, consumer, installation, servers)
        }
    }

    @Test(.enabled(if: Frameworks.rails.areInstalled, "\(Frameworks.hint)"))
    func publishesWithRailsSnippetInForkedProcesses() async throws {
        try await withDocumentedUsers { installation, _ in
            let folder = try ClientExample.copy(ClientLanguage.ruby.folder, installation)
            let snippet = try Recipe("Rails and Sidekiq", of: Self.page).block("ruby")
            try Data(snippet.utf8).write(to: folder.appending(path: "snippet.rb"))
            let ended = try await Subprocess.run(
                ["/usr/bin/ruby", Frameworks.harness("rails.rb"), folder.path],
                environment: ["AMQP_URL": ClientExample.named(try url(of: "shop", "secret", installation))], in: folder)
            #expect(ended.status == 0, "\(ended)")
            // Sidekiq 7 also logs to standard output.
            let published = ended.output.split(separator: "\n").filter { $0.hasPrefix("order-") }.sorted()
            #expect(published == (1...6).map { "order-shipped-\($0)" }, "\(ended)")
            try await sends(6, installation)
        }
    }

    @Test(.enabled(if: Frameworks.django.areInstalled, "\(Frameworks.hint)"))
    func retriesUnresolvedNameWithCelerySnippet() async throws {
        try await withDocumentedUsers { installation, _ in
            let folder = installation.folder.appending(path: "celery")
            let shop = folder.appending(path: "shop")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let python = try ClientExample.copy(ClientLanguage.python.folder, installation)
            try FileManager.default.moveItem(at: python, to: shop)
            let chapter = try Recipe("Django and Celery", of: Self.page)
            for (number, name) in ["tasks.py", "orders.py"].enumerated() {
                let snippet = try chapter.block("python", number)
                #expect(snippet.hasPrefix("# shop/\(name)\n"))
                try Data(snippet.utf8).write(to: shop.appending(path: name))
            }
            let ended = try await Subprocess.run(
                ["/usr/bin/python3", "-B", Frameworks.harness("celery_worker.py"), folder.path],
                environment: ["AMQP_URL": ClientExample.named(try url(of: "shop", "secret", installation))], in: folder,
                within: .seconds(600))
            #expect(ended.status == 0 && ended.output.contains("RETRIED after gaierror"), "\(ended)")
            try await sends(1, installation)
        }
    }

    /// Debian has no Spring AMQP, so the test itself performs the AMQP operations of the Spring chapter.
    @Test func runsSpringOperationsWithDocumentedRights() async throws {
        try await withDocumentedUsers { installation, servers in
            let chapter = try Recipe("Spring", of: Self.page)
            try await servers.run(
                "rabbitmqctl delete_user shop-spring || true\n" + own(try chapter.shell(), installation),
                files: ["shop-spring.password": "secret"], in: installation.folder)
            let user = try url(of: "shop-spring", "secret", installation)
            let java = try chapter.block("java")
            let queue = String(try #require(java.firstMatch(of: /QUEUE = "([^"]+)"/)).1)
            let keys = java.matches(of: /"martlet\.results", "([^"]+)"/).map { String($0.1) }
            #expect(keys == ["*.unregistered.#", "*.suppressed.#"])
            let results = installation.names.results
            var topology = AMQPTopology(
                // Spring declares exchanges that are annotated or defined as beans.
                exchanges: java.contains(/@Exchange|Exchange\(/) ? [AMQPExchange(name: results, kind: .topic)] : [],
                queues: [AMQPQueue(name: queue, arguments: ["x-queue-type": "quorum"])],
                bindings: keys.map { AMQPBinding(queue: queue, exchange: results, routingKey: $0) })
            #expect(await declares(topology, user, installation) == nil)
            let example = try await ClientExample(.python, queue: queue, installation)
            try await prints(example, user, user, installation, servers)

            topology = AMQPTopology(exchanges: [AMQPExchange(name: results, kind: .topic)], queues: [], bindings: [])
            #expect(await declares(topology, user, installation) == .accessRefused, "the user may declare no exchange")
        }
    }

    /// Adds the users of docs/brokers.md, and deletes them afterwards.
    private func withDocumentedUsers(
        _ body: (Installation, BrokerServers.Servers) async throws -> Void
    ) async throws {
        try await with { installation, servers in
            let users = ["shop", "shop-results", "billing", "anna"]
            let delete = users.map { "rabbitmqctl delete_user \($0) || true\n" }.joined()
            let recipe = try Recipe("Users").shell().replacing("rabbitmqctl add_user martlet-worker", with: ": add")
            try await servers.run(
                delete + own(recipe, installation),
                files: Dictionary(uniqueKeysWithValues: (users + ["worker"]).map { ("\($0).password", "secret") }),
                in: installation.folder)
            do {
                try await body(installation, servers)
            } catch {
                Issue.record(error)
            }
            try await servers.run(delete, in: installation.folder)
        }
    }

    /// Publishes a job for a dead token as one user, and waits until a consumer of another user prints the token.
    private func prints(
        _ example: ClientExample, _ publisher: String, _ consumer: String, _ installation: Installation,
        _ servers: BrokerServers.Servers
    ) async throws {
        // The workers' user has no permissions on this queue.
        let broker = Broker(url: try servers.administratorURL)
        let token = Token.random(Token.dead)
        try await installation.withWorker { worker in
            try await installation.eventuallyConsumes(worker)
            let consuming = try example.start("consume", url: consumer)
            defer { consuming.signal(SIGKILL) }
            try await eventually("the program consumes: \(consuming.errors)") {
                try await broker.consumers(of: "shop.push-results") == 1
            }
            let published = try await example.publish("order-1", to: [token], url: publisher)
            #expect(published.status == 0, "\(published)")
            try await eventually("the consumer prints the token: \(consuming.output)\(consuming.errors)") {
                consuming.output.hasPrefix("dead \(token) 20")
            }
            consuming.signal(SIGKILL)
            _ = try await consuming.finish()
        }
        try await eventually("the consumer is gone") {
            try await broker.consumers(of: "shop.push-results") == 0
        }
        try await broker.delete(queues: ["shop.push-results"], exchanges: [])
    }

    /// Runs a worker until the published jobs have their outcomes, and checks that every push was accepted.
    private func sends(_ count: Int, _ installation: Installation) async throws {
        try await installation.withWorker { worker in
            try await eventually("\(count) outcomes arrive: \(installation.results.tally) \(worker.errors)") {
                installation.results.count >= count
            }
        }
        #expect(installation.results.tally == ["sent": count])
    }
}

/// The Debian packages that the snippets of docs/clients.md need.
private enum Frameworks: String {
    case rails = "ruby-sidekiq ruby-activerecord ruby-sqlite3 ruby-bunny"
    case django = "python3-celery python3-django python3-pika"

    var areInstalled: Bool {
        rawValue.split(separator: " ").allSatisfy { FileManager.default.fileExists(atPath: "/usr/share/doc/\($0)") }
    }

    static let hint = "not installed: run scripts/install"

    static func harness(_ name: String) -> String {
        Project.root.appending(path: "Tests/IntegrationTests/Clients/Harness/\(name)").path
    }
}
