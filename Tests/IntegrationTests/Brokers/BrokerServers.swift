import AMQPClient
import DeliveryPipeline
import Foundation
import TestSupport
import Testing

/// Gives a suite servers of its own, whose broker is set up as docs/brokers.md says.
struct BrokerServers: SuiteTrait, TestScoping {
    struct Servers: Sendable {
        fileprivate let local: LocalServers
        let managementPort: Int
        let tlsPort: Int
        let certificates: BrokerCertificates

        var installation: Installation.Servers {
            get throws { Installation.Servers(broker: try local.brokerURL, database: try local.databaseURL) }
        }

        /// Of a user who may do everything.
        var administratorURL: String { get throws { try local.administratorURL } }

        /// Runs lines of a shell in which `martlet`, `rabbitmqctl` and their like are those of the test.
        ///
        /// - Parameters:
        ///   - files: what the lines read, by name.
        ///   - martlet: the configuration's path.
        @discardableResult
        func run(
            _ lines: String, files: [String: String] = [:], martlet configuration: String = "/nowhere", in folder: URL
        ) async throws -> String {
            let programs = folder.appending(path: "programs")
            try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            var surroundings = ["MARTLET_CONFIG": configuration]
            for name in ["rabbitmqctl", "rabbitmq-plugins", "rabbitmq-queues"] {
                let (command, environment) = try local.brokerTool(name)
                surroundings.merge(environment) { $1 }
                try Self.write(command, to: programs.appending(path: name))
            }
            try Self.write([Project.command], to: programs.appending(path: "martlet"))
            let administrator = try #require(URLComponents(string: try administratorURL))
            try Self.write(
                [
                    BrokerServers.admin, "--host=127.0.0.1", "--port=\(managementPort)",
                    "--username=\(administrator.user ?? "")", "--password=\(administrator.password ?? "")",
                ], to: programs.appending(path: "rabbitmqadmin"))
            surroundings["PATH"] = "\(programs.path):/usr/sbin:/usr/bin:/sbin:/bin"
            let finished = try await Subprocess.run(
                ["/bin/bash", "-euo", "pipefail", "-c", lines], environment: surroundings, in: folder,
                within: .seconds(900))
            guard finished.status == 0 else { throw Failure(description: "\(lines) \(finished)") }
            return finished.output
        }

        private static func write(_ command: [String], to file: URL) throws {
            let words = command.map { "'\($0)'" }.joined(separator: " ")
            _ = FileManager.default.createFile(
                atPath: file.path, contents: Data("#!/bin/sh\nexec \(words) \"$@\"\n".utf8),
                attributes: [.posixPermissions: 0o755])
        }
    }

    private static let admin = "/usr/bin/rabbitmqadmin"
    static var hasAdmin: Bool { FileManager.default.isExecutableFile(atPath: admin) }

    @TaskLocal static var current: Servers?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let certificates = try await BrokerCertificates()
        defer { certificates.delete() }
        let (management, tls) = (try freePort(), try freePort())
        var settings = ["management.tcp.port": "\(management)", "management.tcp.ip": "127.0.0.1"]
        for (key, value) in try Recipe("By certificate").settings() + Recipe("Several nodes").settings() {
            settings[key] = value.replacing("/etc/rabbitmq/rabbit-1.", with: certificates.path("localhost."))
                .replacing("/etc/rabbitmq/", with: certificates.path("") + "/")
        }
        settings["listeners.ssl.default"] = "127.0.0.1:\(tls)"
        let local = LocalServers(
            instance: "brokers-\(ProcessInfo.processInfo.processIdentifier)", brokerSettings: settings)
        try await local.up()
        let servers = Servers(local: local, managementPort: management, tlsPort: tls, certificates: certificates)
        do {
            try await Self.$current.withValue(servers) { try await function() }
        } catch {
            Issue.record(error)
        }
        try await local.wipe()
    }
}

/// A chapter of a document, and its code blocks.
struct Recipe {
    private let text: String

    init(_ heading: String, of path: String = "docs/brokers.md") throws {
        let page = try Documents.text(path)
        let start = try #require(page.range(of: "\n## \(heading)\n"), "\(path) has no \(heading)")
        text = String(page[start.upperBound...].split(separator: "\n## ", maxSplits: 1).first ?? "")
    }

    /// The lines of one of the chapter's blocks for a shell.
    func shell(_ number: Int = 0) throws -> String { try block("sh", number) }

    func block(_ language: String, _ number: Int = 0) throws -> String {
        let blocks = Documents.blocks(language, in: text)
        return try #require(blocks.indices.contains(number) ? blocks[number] : nil, "no such block: \(text)")
    }

    /// Lines of rabbitmq.conf.
    func settings() throws -> [(String, String)] {
        let lines = try #require(Documents.blocks("ini", in: text).first).split(separator: "\n")
        return lines.map { line in
            let parts = line.split(separator: " = ", maxSplits: 1).map(String.init)
            return (parts[0], parts[1])
        }
    }

    func yaml() throws -> String { try #require(Documents.blocks("yaml", in: text).first) }
}

extension BrokersPageTests {
    /// - Parameter hasTopology: false: there is nothing in the broker but the results exchange and the test's queue on it.
    func with(
        hasTopology: Bool = true, asAdministrator: Bool = false,
        _ body: (Installation, BrokerServers.Servers) async throws -> Void
    ) async throws {
        let servers = try #require(BrokerServers.current)
        let own = Installation.Servers(
            broker: asAdministrator ? try servers.administratorURL : try servers.installation.broker,
            database: try servers.installation.database)
        try await Installation.with(servers: own) { installation in
            try await installation.addTokenApp(Self.app)
            if hasTopology {
                #expect(try await installation.martlet(["doctor", "--declare"]).status == 0)
            } else {
                // As tests know the results: it is in the definitions, too.
                let topology = installation.names.topology(delays: RetryPolicy().delays)
                let found = try await AMQPInspection.look(at: topology, on: try installation.brokerConfiguration())
                #expect(found.missing.contains("exchange \(installation.names.jobs)"))
            }
            try await body(installation, servers)
        }
    }

    /// A recipe for this installation's names.
    func own(_ recipe: String, _ installation: Installation) -> String {
        let prefix = installation.names.prefix
        _ = try? installation.write(Self.password, to: "worker.password")
        return recipe.replacing(
            "martlet-worker", with: recipe.contains("topology") ? "\(prefix)-worker" : "martlet-worker"
        )
        .replacing(#"martlet\.jobs"#, with: #"\#(prefix.replacing(".", with: #"\."#))\.jobs"#)
        .replacing(#"martlet\.tail"#, with: #"\#(prefix.replacing(".", with: #"\."#))\.tail"#)
        .replacing(#"martlet\.("#, with: #"\#(prefix.replacing(".", with: #"\."#))\.("#)
        .replacing(#"martlet\.results"#, with: #"\#(prefix.replacing(".", with: #"\."#))\.results"#)
        .replacing("billing martlet.results", with: "billing \(prefix).results")
    }

    func url(of user: String, _ password: String, _ installation: Installation) throws -> String {
        let components = try #require(URLComponents(string: installation.servers.broker))
        return "amqp://\(user):\(password)@127.0.0.1:\(try #require(components.port))/"
    }

    /// Has a worker deliver a push.
    func deliver(_ installation: Installation, _ worker: Subprocess, among count: Int = 1) async throws {
        let job = JobText("order-\(count)", app: Self.app, to: [Token.random()])
        try await eventually(worker.errors) {
            do {
                try await installation.publish([job])
                return true
            } catch {
                return false
            }
        }
        try await eventually("\(installation.results.tally) \(worker.errors)") { installation.results.count >= count }
        #expect(installation.results.tally["sent"] == count, "\(installation.results.tally)")
    }

    /// The broker's reply to a message for an exchange that leads nowhere; nil: it has taken it, or no queue wants it.
    func publishes(to exchange: String, _ url: String, _ installation: Installation) async -> UInt16? {
        do {
            let publisher = try AMQPPublisher(
                configuration: try AMQPConfiguration(url: url), logger: installation.log.logger("rights"))
            try await publisher.connectOnce()
            do throws(AMQPError) {
                try await publisher.publishAndWait([
                    AMQPPublication(
                        id: 1, exchange: exchange, routingKey: "nowhere", properties: AMQPProperties(), body: [])
                ])
            } catch {
                await publisher.close()
                return error.reply?.code ?? 0
            }
            await publisher.close()
            return nil
        } catch {
            return 0
        }
    }

    func declares(
        _ topology: AMQPTopology, _ url: String, _ installation: Installation
    ) async -> AMQPError.Code? {
        do {
            let publisher = try AMQPPublisher(
                configuration: try AMQPConfiguration(url: url), topology: topology,
                logger: installation.log.logger("rights"))
            try await publisher.connectOnce()
            await publisher.close()
            return nil
        } catch {
            return error.code
        }
    }
}
