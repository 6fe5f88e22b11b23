import Foundation

/// Private RabbitMQ and PostgreSQL servers that a test may stop and kill. They end with this process, even if it is
/// killed.
package struct LocalServers: Sendable {
    package enum Server: Sendable, Hashable {
        /// A node of the broker, numbered from 1. A single node is the whole broker.
        case rabbitmq(node: Int)
        /// A PostgreSQL server, numbered from 1. The second server is a standby of the first one, and can replace it.
        case postgres(number: Int)

        package static let rabbitmq = Server.rabbitmq(node: 1)
        package static let postgres = Server.postgres(number: 1)

        fileprivate var name: String {
            switch self {
            case .rabbitmq(let node): node == 1 ? "rabbitmq" : "rabbitmq-\(node)"
            case .postgres(let number): number == 1 ? "postgres" : "postgres-\(number)"
            }
        }

        fileprivate var variable: String { "LOCAL_\(name.uppercased().replacing("-", with: "_"))" }
    }

    private let instance: String
    private let nodes: Int
    private let brokerSettings: [String: String]
    private let hasStandby: Bool

    /// - Parameters:
    ///   - instance: the name of the folder of the servers' files, .local/<instance>.
    ///   - nodes: the number of RabbitMQ nodes. Several nodes form a cluster.
    ///   - brokerSettings: settings of `rabbitmq.conf`.
    ///   - hasStandby: whether there is a second PostgreSQL server, which follows the first one.
    package init(instance: String, nodes: Int = 1, brokerSettings: [String: String] = [:], hasStandby: Bool = false) {
        self.instance = instance
        self.nodes = nodes
        self.brokerSettings = brokerSettings
        self.hasStandby = hasStandby
    }

    /// Starts all servers with empty data.
    package func up() async throws {
        try await services(
            ["up", "--fresh", "--nodes", "\(nodes)", "--while", "\(ProcessInfo.processInfo.processIdentifier)"]
                + (hasStandby ? ["--standby"] : [])
                + brokerSettings.sorted { $0.key < $1.key }.flatMap { ["--broker-setting", "\($0.key)=\($0.value)"] })
    }

    /// Stops all servers and deletes their files.
    package func wipe() async throws {
        try await services("wipe")
        try FileManager.default.removeItem(at: folder)
    }

    package func stop(_ server: Server) async throws { try await services("stop", server.name) }
    package func start(_ server: Server) async throws { try await services("start", server.name) }
    package func restart(_ server: Server) async throws { try await services("restart", server.name) }

    /// Turns the given PostgreSQL server into a standby of the other one.
    package func follow(_ server: Server) async throws { try await services("follow", server.name) }

    /// Kills the server's process with a signal, as in a crash.
    package func kill(_ server: Server, _ signal: Int32) throws {
        guard let pid = pid_t(try value("\(server.variable)_PID")) else {
            throw Failure(description: "no process id of \(server) in \(folder.path)")
        }
        Foundation.kill(pid, signal)
    }

    /// Evaluates an Erlang expression in the broker.
    package func evaluateInBroker(_ expression: String) async throws {
        let (command, environment) = try brokerTool("rabbitmqctl")
        let finished = try await Subprocess.run(command + ["eval", expression], environment: environment)
        guard finished.status == 0 else { throw Failure(description: "rabbitmqctl \(finished)") }
    }

    /// Returns a command of the broker, such as `rabbitmqctl`, with the environment variables that it needs. Most of
    /// them are copied from the broker's own process.
    package func brokerTool(_ name: String) throws -> (command: [String], environment: [String: String]) {
        let pid = try value("LOCAL_RABBITMQ_PID")
        let wanted: Set = ["HOME", "RABBITMQ_NODENAME", "ERL_EPMD_PORT", "RABBITMQ_ENABLED_PLUGINS_FILE"]
        var environment: [String: String] = [:]
        for line in try String(contentsOfFile: "/proc/\(pid)/environ", encoding: .utf8).split(separator: "\0") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2, wanted.contains(parts[0]) { environment[parts[0]] = parts[1] }
        }
        // With LOCAL_RABBITMQ_ROOT, a broker of another version has its own root folder and commands.
        let root = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/root")
        // RabbitMQ 4 looks for plugins in a folder that Debian does not use. Debian's scripts set the correct folder,
        // but only root may run them.
        let installed = URL(filePath: "/proc/\(pid)/root/usr/lib/rabbitmq/lib")
        if let server = try FileManager.default.contentsOfDirectory(atPath: installed.path).first {
            environment["RABBITMQ_PLUGINS_DIR"] = "/usr/lib/rabbitmq/lib/\(server)/plugins"
        }
        let entering = root == "/" ? [] : ["/usr/sbin/chroot", "/proc/\(pid)/root"]
        return (entering + ["/usr/lib/rabbitmq/bin/\(name)"], environment)
    }

    /// The ports of the broker's nodes.
    package var brokerPorts: [UInt16] {
        get throws { try (1...nodes).compactMap { UInt16(try value("\(Server.rabbitmq(node: $0).variable)_PORT")) } }
    }

    /// The URL of the first node, with a user that has the permissions that docs/brokers.md gives a worker.
    package var brokerURL: String { get throws { try value("MARTLET_TEST_WORKER_AMQP_URL") } }
    package var administratorURL: String { get throws { try value("MARTLET_TEST_AMQP_URL") } }
    /// The ports of all PostgreSQL servers.
    package var databasePorts: [UInt16] {
        get throws {
            try (1...(hasStandby ? 2 : 1)).compactMap {
                UInt16(try value("\(Server.postgres(number: $0).variable)_PORT"))
            }
        }
    }
    package var databaseURL: String { get throws { try value("MARTLET_TEST_DATABASE_URL") } }

    private var folder: URL { Project.root.appending(path: ".local/\(instance)") }

    private func services(_ arguments: String...) async throws { try await services(arguments) }

    private func services(_ arguments: [String]) async throws {
        let script = Project.root.appending(path: "scripts/services").path
        // The servers that `up` starts outlive this script, and watch this process themselves.
        let finished = try await Subprocess.run([script, "--instance", instance, "--no-fsync"] + arguments)
        guard finished.status == 0 else { throw Failure(description: "services \(arguments) \(finished)") }
    }

    private func value(_ name: String) throws -> String {
        let text = try String(contentsOf: folder.appending(path: "services.env"), encoding: .utf8)
        for line in text.split(separator: "\n") where line.hasPrefix("\(name)=") {
            return String(line.dropFirst(name.count + 1))
        }
        throw Failure(description: "\(name) is not in \(folder.path)/services.env")
    }
}
