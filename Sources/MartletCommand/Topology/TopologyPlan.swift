import AMQPClient
import CommandSupport
import Foundation

/// The objects to create in a broker, in formats for operators and for RabbitMQ's own tools.
struct TopologyPlan: Sendable {
    let topology: AMQPTopology
    let virtualHost: String
    let users: [BrokerUser]

    init(topology: AMQPTopology, virtualHost: String, users: [BrokerUser] = []) {
        (self.topology, self.virtualHost, self.users) = (topology, virtualHost, users)
    }

    // MARK: Tables for operators

    var tables: [String] {
        var objects = Table(header: ["OBJECT", "NAME", "KIND", "ARGUMENTS"])
        for exchange in topology.exchanges {
            objects.append(["exchange", exchange.name, exchange.kind.rawValue, Self.text(exchange.arguments)])
        }
        for queue in topology.queues { objects.append(["queue", queue.name, "durable", Self.text(queue.arguments)]) }
        for binding in topology.bindings {
            objects.append(["binding", binding.queue, "of \(binding.exchange)", "key \"\(binding.routingKey)\""])
        }
        guard !users.isEmpty else { return objects.lines }
        var rights = Table(header: ["USER", "CONFIGURE", "WRITE", "READ"])
        for user in users { rights.append([user.name, user.configure, user.write, user.read]) }
        return objects.lines + [""] + rights.lines
    }

    private static func text(_ arguments: AMQPFieldTable) -> String {
        arguments.entries.map { "\($0.key)=\($0.value.integer.map(String.init) ?? $0.value.string ?? "")" }
            .joined(separator: " ")
    }

    // MARK: For rabbitmqctl import_definitions

    var definitions: BrokerDefinitions {
        BrokerDefinitions(
            exchanges: topology.exchanges.map {
                .init(
                    name: $0.name, vhost: virtualHost, type: $0.kind.rawValue, arguments: .init(table: $0.arguments))
            },
            queues: topology.queues.map {
                .init(name: $0.name, vhost: virtualHost, arguments: .init(table: $0.arguments))
            },
            bindings: topology.bindings.map {
                .init(
                    source: $0.exchange, vhost: virtualHost, destination: $0.queue, routingKey: $0.routingKey,
                    arguments: .init(table: $0.arguments))
            },
            users: users.isEmpty ? nil : users.map { .init(name: $0.name) },
            permissions: users.isEmpty
                ? nil
                : users.map {
                    .init(user: $0.name, vhost: virtualHost, configure: $0.configure, write: $0.write, read: $0.read)
                })
    }

    // MARK: For a shell

    /// The shell commands that create all objects. They work with the `rabbitmqadmin` of RabbitMQ 4.3, which takes
    /// options such as `--name`, and with the `rabbitmqadmin` of earlier versions, which the management plugin
    /// provides.
    var commands: [String] {
        var lines = ["vhost=\(Self.quoted(virtualHost))"] + Self.functions
        lines += topology.exchanges.map {
            Self.call("exchange", $0.name, $0.kind.rawValue, Self.json($0.arguments))
        }
        lines += topology.queues.map {
            Self.call("queue", $0.name, $0.arguments["x-queue-type"]?.string ?? "classic", Self.json($0.arguments))
        }
        lines += topology.bindings.map { Self.call("bind", $0.exchange, $0.queue, $0.routingKey) }
        for user in users {
            lines.append(Self.call("user", user.name))
            lines.append(Self.call("permission", user.name, user.configure, user.write, user.read))
        }
        return lines
    }

    /// The shell functions that call the installed version of `rabbitmqadmin`. An empty password hash creates a user
    /// who cannot log in with a password. The `rabbitmqadmin` of RabbitMQ 4.3 accepts no empty hash, so the user gets a
    /// random one.
    private static let functions = #"""
        if rabbitmqadmin declare exchange --help 2>&1 | grep -q -e '--name <'; then
            admin() { rabbitmqadmin --vhost "$vhost" "$@"; }
            exchange() { admin declare exchange --name "$1" --type "$2" --durable true --arguments "$3"; }
            queue() { admin declare queue --name "$1" --type "$2" --durable true --arguments "$3"; }
            bind() { admin declare binding --source "$1" --destination-type queue --destination "$2" --routing-key "$3"; }
            user() { admin declare user --name "$1" --password-hash "$(head -c 36 /dev/urandom | base64)" --tags ''; }
            permission() { admin declare permissions --username "$1" --configure "$2" --write "$3" --read "$4"; }
        else
            admin() { rabbitmqadmin --vhost="$vhost" "$@"; }
            exchange() { admin declare exchange name="$1" type="$2" durable=true arguments="$3"; }
            queue() { admin declare queue name="$1" durable=true arguments="$3"; }
            bind() { admin declare binding source="$1" destination_type=queue destination="$2" routing_key="$3"; }
            user() { admin declare user name="$1" password_hash='' tags=''; }
            permission() { admin declare permission vhost="$vhost" user="$1" configure="$2" write="$3" read="$4"; }
        fi
        """#.split(separator: "\n").map(String.init)

    private static func call(_ function: String, _ words: String...) -> String {
        ([function] + words.map(quoted)).joined(separator: " ")
    }

    private static func json(_ arguments: AMQPFieldTable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(BrokerDefinitions.Arguments(table: arguments)) else { return "{}" }
        return String(decoding: json, as: UTF8.self)
    }

    /// Returns the text as one quoted word for a shell.
    static func quoted(_ text: String) -> String {
        "'\(text.replacing("'", with: #"'\''"#))'"
    }
}
