import AMQPClient
import Foundation

/// The objects to create in a broker, in formats for operators and for RabbitMQ's own tools.
struct TopologyPlan: Sendable {
    let topology: AMQPTopology
    let virtualHost: String
    let users: [BrokerUser]
    private let exchanges: [AMQPExchange]
    private let plan: BindingPlan

    init(topology: AMQPTopology, virtualHost: String, users: [BrokerUser] = []) {
        (self.topology, self.virtualHost, self.users) = (topology, virtualHost, users)
        exchanges = topology.exchanges + (topology.sharding?.middles ?? [])
        plan = BindingPlan(topology)
    }

    // MARK: Tables for operators

    var tables: [String] {
        var objects = Table(header: ["OBJECT", "NAME", "KIND", "ARGUMENTS"])
        for exchange in exchanges {
            objects.append(["exchange", exchange.name, exchange.kind.rawValue, Self.text(exchange.arguments)])
        }
        for queue in topology.queues { objects.append(["queue", queue.name, "durable", Self.text(queue.arguments)]) }
        for binding in plan.bindings {
            objects.append(["binding", binding.destination, "of \(binding.source)", "key \"\(binding.routingKey)\""])
        }
        for unbinding in plan.unbindings {
            objects.append(
                ["no binding", unbinding.names, "of \(unbinding.source)", "key \"\(unbinding.routingKey)\""])
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
            exchanges: exchanges.map {
                .init(
                    name: $0.name, vhost: virtualHost, type: $0.kind.rawValue, arguments: .init(table: $0.arguments))
            },
            queues: topology.queues.map {
                .init(name: $0.name, vhost: virtualHost, arguments: .init(table: $0.arguments))
            },
            bindings: plan.bindings.map {
                .init(
                    source: $0.source, vhost: virtualHost, destination: $0.destination, destinationType: $0.kind,
                    routingKey: $0.routingKey, arguments: .init(table: [:]))
            },
            users: users.isEmpty ? nil : users.map { .init(name: $0.name) },
            permissions: users.isEmpty
                ? nil
                : users.map {
                    .init(user: $0.name, vhost: virtualHost, configure: $0.configure, write: $0.write, read: $0.read)
                })
    }

    /// The warning about bindings that exist but that an import of definitions does not remove.
    var warning: String {
        let reported = plan.unbindings.map { "\($0.names) of \($0.source), key \"\($0.routingKey)\"" }
        return
            "An import deletes nothing. If amqp.shards was changed, run what --format rabbitmqadmin "
            + "prints instead, which also removes old bindings. Otherwise each job may be delivered twice. Bindings to "
            + "remove: \(reported.joined(separator: "; "))."
    }

    // MARK: For a shell

    /// The shell commands that create all objects. They work with the `rabbitmqadmin` of RabbitMQ 4.3, which takes
    /// options, and with the `rabbitmqadmin` of earlier versions, which the management plugin provides.
    var commands: [String] {
        var lines = ["vhost=\(Self.quoted(virtualHost))"] + Self.functions
        lines += exchanges.map {
            Self.call("exchange", $0.name, $0.kind.rawValue, Self.json($0.arguments))
        }
        lines += topology.queues.map {
            Self.call("queue", $0.name, $0.arguments["x-queue-type"]?.string ?? "classic", Self.json($0.arguments))
        }
        for step in plan.steps {
            switch step {
            case .bind(let binding):
                lines.append(
                    Self.call("bind", binding.source, binding.kind, binding.destination, binding.routingKey))
            case .unbind(let unbinding):
                for destination in unbinding.destinations {
                    lines.append(
                        Self.call(
                            "unbind", unbinding.source, unbinding.isQueue ? "queue" : "exchange", destination,
                            unbinding.routingKey))
                }
            }
        }
        for user in users {
            lines.append(Self.call("user", user.name))
            lines.append(Self.call("permission", user.name, user.configure, user.write, user.read))
        }
        return lines
    }

    /// The shell functions that call the installed version of `rabbitmqadmin`. An empty password hash creates a user
    /// who cannot log in with a password. The version of RabbitMQ 4.3 accepts no empty hash, so the user gets a random
    /// one. The `rabbitmqadmin` of earlier versions uses the name `~` for a binding without a routing key, as the
    /// management API does.
    private static let functions = #"""
        if rabbitmqadmin declare exchange --help 2>&1 | grep -q -e '--name <'; then
            admin() { rabbitmqadmin --vhost "$vhost" "$@"; }
            exchange() { admin declare exchange --name "$1" --type "$2" --durable true --arguments "$3"; }
            queue() { admin declare queue --name "$1" --type "$2" --durable true --arguments "$3"; }
            bind() { admin declare binding --source "$1" --destination-type "$2" --destination "$3" --routing-key "$4"; }
            unbind() {
                admin delete binding --idempotently --source "$1" --destination-type "$2" --destination "$3" --routing-key "$4"
            }
            user() { admin declare user --name "$1" --password-hash "$(head -c 36 /dev/urandom | base64)" --tags ''; }
            permission() { admin declare permissions --username "$1" --configure "$2" --write "$3" --read "$4"; }
        else
            admin() { rabbitmqadmin --vhost="$vhost" "$@"; }
            exchange() { admin declare exchange name="$1" type="$2" durable=true arguments="$3"; }
            queue() { admin declare queue name="$1" durable=true arguments="$3"; }
            bind() { admin declare binding source="$1" destination_type="$2" destination="$3" routing_key="$4"; }
            unbind() {
                told=$(admin delete binding source="$1" destination_type="$2" destination="$3" properties_key="${4:-~}" 2>&1) ||
                    case "$told" in *'Not found'*) ;; *) echo "$told" >&2; return 1 ;; esac
            }
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
    private static func quoted(_ text: String) -> String {
        "'\(text.replacing("'", with: #"'\''"#))'"
    }
}
