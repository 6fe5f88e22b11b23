import AMQPClient
import Foundation

/// What to make in a broker, for people and for RabbitMQ's own tools.
struct TopologyPlan: Sendable {
    let topology: AMQPTopology
    let virtualHost: String
    let users: [BrokerUser]
    private let exchanges: [AMQPExchange]
    private let plan: BindingPlan

    init(topology: AMQPTopology, virtualHost: String, users: [BrokerUser] = []) {
        (self.topology, self.virtualHost, self.users) = (topology, virtualHost, users)
        exchanges = topology.exchanges + (topology.spread?.middles ?? [])
        plan = BindingPlan(topology)
    }

    // MARK: For people

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

    /// What definitions can't say.
    var warning: String {
        let told = plan.unbindings.map { "\($0.names) of \($0.source), key \"\($0.routingKey)\"" }
        return
            "An import takes nothing away. Where another amqp.shards was in force before, run what --format rabbitmqadmin "
            + "prints instead, which unbinds what that one has bound, too, or each job may come twice. Not to be bound any "
            + "more: \(told.joined(separator: "; "))."
    }

    // MARK: For a shell

    /// Of the `rabbitmqadmin` that the management plugin brings.
    var commands: [String] {
        let vhost = "--vhost=\(Self.quoted(virtualHost))"
        let admin = "rabbitmqadmin \(vhost) declare"
        var lines = exchanges.map {
            "\(admin) exchange name=\(Self.quoted($0.name)) type=\($0.kind.rawValue) durable=true"
                + Self.option($0.arguments)
        }
        lines += topology.queues.map {
            "\(admin) queue name=\(Self.quoted($0.name)) durable=true" + Self.option($0.arguments)
        }
        lines += [
            "# What is not bound needs no unbinding.",
            "unbind() {",
            "    told=$(rabbitmqadmin \(vhost) delete binding \"$@\" 2>&1) && return",
            "    case \"$told\" in *'Not found'*) ;; *) echo \"$told\" >&2; return 1 ;; esac",
            "}",
        ]
        for step in plan.steps {
            switch step {
            case .bind(let binding):
                lines.append(
                    "\(admin) binding source=\(Self.quoted(binding.source)) destination=\(Self.quoted(binding.destination))"
                        + " destination_type=\(binding.kind) routing_key=\(Self.quoted(binding.routingKey))")
            case .unbind(let unbinding):
                // As the management API calls the key of a binding without one.
                let key = unbinding.routingKey.isEmpty ? "~" : unbinding.routingKey
                lines.append(
                    "for name in \(unbinding.destinations.map(Self.quoted).joined(separator: " ")); do"
                        + " unbind source=\(Self.quoted(unbinding.source)) destination=\"$name\""
                        + " destination_type=\(unbinding.isQueue ? "queue" : "exchange")"
                        + " properties_key=\(Self.quoted(key)); done")
            }
        }
        for user in users {
            // An empty hash is a user who can't log in by password.
            lines.append("rabbitmqadmin declare user name=\(Self.quoted(user.name)) password_hash='' tags=''")
            lines.append(
                "rabbitmqadmin declare permission vhost=\(Self.quoted(virtualHost)) user=\(Self.quoted(user.name))"
                    + " configure=\(Self.quoted(user.configure)) write=\(Self.quoted(user.write))"
                    + " read=\(Self.quoted(user.read))")
        }
        return lines
    }

    private static func option(_ arguments: AMQPFieldTable) -> String {
        guard !arguments.isEmpty else { return "" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(BrokerDefinitions.Arguments(table: arguments)) else { return "" }
        return " arguments=\(quoted(String(decoding: json, as: UTF8.self)))"
    }

    /// As one word of a shell.
    private static func quoted(_ text: String) -> String {
        "'\(text.replacing("'", with: #"'\''"#))'"
    }
}
