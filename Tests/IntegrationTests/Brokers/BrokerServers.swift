import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import TestSupport
import Testing

/// A trait that provides a suite with its own servers. The broker is configured as docs/brokers.md describes.
struct BrokerServers: SuiteTrait, TestScoping {
    struct Servers: Sendable {
        fileprivate let local: LocalServers
        let managementPort: Int
        let tlsPort: Int
        let certificates: BrokerCertificates

        var installation: Installation.Servers {
            get throws { Installation.Servers(broker: try local.brokerURL, database: try local.databaseURL) }
        }

        /// The URL of a broker user with all permissions.
        var administratorURL: String { get throws { try local.administratorURL } }

        /// Runs shell lines in which `martlet`, `rabbitmqctl` and similar commands use the programs and servers of the
        /// test.
        ///
        /// - Parameters:
        ///   - files: the contents of the files that the lines read, by name.
        ///   - martlet: the path of the configuration that `martlet` uses.
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
        for (key, value) in try Recipe("Client certificates").settings() + Recipe("Several nodes").settings() {
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

    /// Returns one of the chapter's shell blocks.
    func shell(_ number: Int = 0) throws -> String { try block("sh", number) }

    func block(_ language: String, _ number: Int = 0) throws -> String {
        let blocks = Documents.blocks(language, in: text)
        return try #require(blocks.indices.contains(number) ? blocks[number] : nil, "no such block: \(text)")
    }

    /// Returns the settings in the chapter's rabbitmq.conf block.
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
    /// Runs `body` with an installation on the suite's servers that has one app.
    ///
    /// - Parameters:
    ///   - hasTopology: whether the topology is declared. If not, the broker has only the results exchange and the
    ///     test's queue that is bound to it.
    ///   - asAdministrator: whether the installation connects to the broker as a user with all permissions.
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
                // The results exchange already exists, because the test collects results. Therefore the exchange of
                // jobs is checked.
                let topology = installation.names.topology(delays: RetryPolicy().delays)
                let found = try await AMQPInspection.look(at: topology, on: try installation.brokerConfiguration())
                #expect(found.missing.contains("exchange \(installation.names.jobs)"))
            }
            try await body(installation, servers)
        }
    }

    /// Returns a recipe with the names of this installation. Also writes the file with the worker's password.
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

    /// Returns the broker's URL for a user.
    func url(of user: String, _ password: String, _ installation: Installation) throws -> String {
        let components = try #require(URLComponents(string: installation.servers.broker))
        return "amqp://\(user):\(password)@127.0.0.1:\(try #require(components.port))/"
    }

    /// Publishes a job and waits until a worker has delivered it.
    ///
    /// - Parameter count: the number of jobs that the test has published, including this one.
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

    /// Publishes a message that no queue receives. Returns the code of the broker's reply, `nil` if the broker confirms
    /// the message, or 0 if the attempt fails without a reply.
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

    /// Declares a topology as a user. Returns the code of the error, or `nil` if the broker allows the declaration.
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
