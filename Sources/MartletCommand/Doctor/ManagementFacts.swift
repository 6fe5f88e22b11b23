import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import MartletConfiguration
import Observability
import OutcomeLedger

/// The data of RabbitMQ's management API about Martlet's queues and exchanges. Each queue and exchange is requested by
/// its name, because a broker may have a hundred thousand others.
struct ManagementFacts {
    struct Queue: Decodable {
        let name: String
        let leader: String?
        let node: String?
        let arguments: [String: Value]?
        let effectivePolicyDefinition: [String: Value]?
        let policy: String?
        let operatorPolicy: String?

        var timeout: Int? {
            effectivePolicyDefinition?["consumer-timeout"]?.number ?? arguments?["x-consumer-timeout"]?.number
        }

        var policies: PolicyCheck.Policy {
            let definition = effectivePolicyDefinition ?? [:]
            return PolicyCheck.Policy(
                queue: name, names: [policy, operatorPolicy].compactMap { $0 }.filter { !$0.isEmpty },
                numbers: definition.compactMapValues(\.number), texts: definition.compactMapValues(\.text))
        }
    }

    struct Value: Decodable {
        let number: Int?
        let text: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            number = try? container.decode(Int.self)
            text = try? container.decode(String.self)
        }
    }

    private struct Node: Decodable {
        let name: String
        let running: Bool
    }

    private struct Binding: Decodable {
        let source: String
        let destination: String
        let destinationType: String
        let routingKey: String
    }

    /// Martlet's queues that exist in the broker.
    let queues: [Queue]
    let bindings: Set<BindingCheck.Binding>
    let resultsReaders: ResultsReaders
    let nodes: [String]
    /// The time by which the broker's clock is ahead of this machine's clock, or `nil` if the answer had no date.
    let ahead: Duration?

    init(_ address: String, _ source: ConfigurationSource) async throws {
        let broker = try source.broker()
        guard broker.mechanism == .password else {
            throw DoctorWarning(
                "not checked: it requires a password, and \(broker.user) logs in with a certificate",
                todo: "run doctor with the amqp.url of a user who has a password and the tag monitoring")
        }
        let file = source.string(.amqpCAFile).flatMap { $0.isEmpty ? nil : $0 }
        let question = Question(
            api: try ManagementAPI(address, of: broker, authorityFile: file), user: broker.user)
        let vhost = Self.encoded(broker.virtualHost)
        let topology = try source.pipeline().topology
        let ledger = try source.names().ledgerTopology
        // Every RabbitMQ broker answers this request. A different server may answer all requests with 404, which would
        // look like a broker without queues and bindings.
        guard let (nodes, date) = try await question.ask([Node].self, "/nodes?columns=name,running") else {
            throw DoctorWarning("no management API answers at \(address)", todo: "check its path")
        }
        ahead = date.map { .seconds($0.timeIntervalSinceNow) }
        var queues: [Queue] = []
        let columns = "name,leader,node,arguments,effective_policy_definition,policy,operator_policy"
        for queue in topology.queues + ledger.queues {
            let path = "/queues/\(vhost)/\(Self.encoded(queue.name))?columns=\(columns)"
            if let (found, _) = try await question.ask(Queue.self, path) { queues.append(found) }
        }
        var bindings: Set<BindingCheck.Binding> = []
        for exchange in BindingCheck.exchanges(topology) {
            let path = "/exchanges/\(vhost)/\(Self.encoded(exchange))/bindings/source"
            guard let (found, _) = try await question.ask([Binding].self, path) else { continue }
            bindings.formUnion(
                found.map {
                    BindingCheck.Binding(
                        source: $0.source, destination: $0.destination, isQueue: $0.destinationType == "queue",
                        routingKey: $0.routingKey)
                })
        }
        resultsReaders = try await Self.readers(of: try source.names().results, question, vhost: vhost)
        self.queues = queues
        self.bindings = bindings
        self.nodes = nodes.filter(\.running).map(\.name)
    }

    private static func readers(
        of exchange: String, _ question: Question, vhost: String
    ) async throws -> ResultsReaders {
        let path = "/exchanges/\(vhost)/\(encoded(exchange))/bindings/source"
        guard let (bindings, _) = try await question.ask([Binding].self, path) else {
            return ResultsReaders(exchange: exchange, isMissing: true)
        }
        func names(_ type: String) -> [String] {
            Set(bindings.filter { $0.destinationType == type }.map(\.destination)).sorted()
        }
        var queues: [ResultsQueue] = []
        for name in names("queue") {
            let path = "/queues/\(vhost)/\(encoded(name))?columns=name,type,messages,consumers,head_message_timestamp"
            do {
                if let (queue, _) = try await question.ask(ResultsQueue.self, path) { queues.append(queue) }
            } catch {
                // RabbitMQ treats a queue name such as ".." as a part of the path and answers a different request.
                queues.append(ResultsQueue(uncounted: name))
            }
        }
        return ResultsReaders(exchange: exchange, queues: queues, exchanges: names("exchange"))
    }

    private static func encoded(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private struct Question {
        let api: ManagementAPI
        let user: String

        /// Requests an object from the management API.
        ///
        /// - Returns: the object and the date of the answer, or `nil` if the object does not exist.
        func ask<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> (Value, Date?)? {
            let answer = try await api.get(path)
            switch answer.status {
            case 200: break
            case 404: return nil
            case 401, 403:
                throw DoctorWarning(
                    "the management API answers \(answer.status) to \(user)",
                    todo: "run doctor as a user with the tag monitoring: rabbitmqctl set_user_tags NAME monitoring")
            default: throw DoctorWarning("the management API answers \(answer.status)")
            }
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            do {
                return (try decoder.decode(type, from: answer.body), answer.date)
            } catch {
                throw DoctorWarning("the management API's answer does not have RabbitMQ's format")
            }
        }
    }
}
