import AMQPClient
import Foundation

/// What to make in a broker, for people and for RabbitMQ's own tools.
struct TopologyPlan: Sendable {
    /// Of one exchange to another.
    struct Link: Sendable, Hashable {
        let destination: String
        let source: String
        let routingKey: String
    }

    /// Without a spread: its ways are laid out.
    var topology: AMQPTopology
    private(set) var links: [Link] = []
    let virtualHost: String
    var users: [BrokerUser] = []

    init(topology: AMQPTopology, virtualHost: String) {
        self.topology = topology
        self.virtualHost = virtualHost
        guard let spread = topology.spread else { return }
        self.topology.spread = nil
        self.topology.exchanges += spread.middles
        for way in spread.ways {
            if spread.width > 1 {
                links += way.keys.map { Link(destination: way.middle.name, source: spread.exchange, routingKey: $0) }
                self.topology.bindings += way.queues.prefix(spread.width).map {
                    AMQPBinding(queue: $0, exchange: way.middle.name, routingKey: "")
                }
            } else {
                self.topology.bindings += way.keys.map {
                    AMQPBinding(queue: way.queues[0], exchange: spread.exchange, routingKey: $0)
                }
            }
        }
    }

    // MARK: For people

    var tables: [String] {
        var objects = Table(header: ["OBJECT", "NAME", "KIND", "ARGUMENTS"])
        for exchange in topology.exchanges {
            objects.append(["exchange", exchange.name, exchange.kind.rawValue, Self.text(exchange.arguments)])
        }
        for queue in topology.queues { objects.append(["queue", queue.name, "durable", Self.text(queue.arguments)]) }
        for binding in topology.bindings {
            objects.append(["binding", binding.queue, "of \(binding.exchange)", "key \"\(binding.routingKey)\""])
        }
        for link in links {
            objects.append(["binding", link.destination, "of \(link.source)", "key \"\(link.routingKey)\""])
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
                    source: $0.exchange, vhost: virtualHost, destination: $0.queue, destinationType: "queue",
                    routingKey: $0.routingKey, arguments: .init(table: $0.arguments))
            }
                + links.map {
                    .init(
                        source: $0.source, vhost: virtualHost, destination: $0.destination, destinationType: "exchange",
                        routingKey: $0.routingKey, arguments: .init(table: [:]))
                },
            users: users.isEmpty ? nil : users.map { .init(name: $0.name) },
            permissions: users.isEmpty
                ? nil
                : users.map {
                    .init(user: $0.name, vhost: virtualHost, configure: $0.configure, write: $0.write, read: $0.read)
                })
    }

    // MARK: For a shell

    /// Of the `rabbitmqadmin` that the management plugin brings.
    var commands: [String] {
        let admin = "rabbitmqadmin --vhost=\(Self.quoted(virtualHost)) declare"
        var lines = topology.exchanges.map {
            "\(admin) exchange name=\(Self.quoted($0.name)) type=\($0.kind.rawValue) durable=true"
                + Self.option($0.arguments)
        }
        lines += topology.queues.map {
            "\(admin) queue name=\(Self.quoted($0.name)) durable=true" + Self.option($0.arguments)
        }
        lines += topology.bindings.map {
            "\(admin) binding source=\(Self.quoted($0.exchange)) destination=\(Self.quoted($0.queue))"
                + " destination_type=queue routing_key=\(Self.quoted($0.routingKey))"
        }
        lines += links.map {
            "\(admin) binding source=\(Self.quoted($0.source)) destination=\(Self.quoted($0.destination))"
                + " destination_type=exchange routing_key=\(Self.quoted($0.routingKey))"
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
