import AMQPClient
import DeliveryPipeline
import Foundation
import MartletService

/// What RabbitMQ tells by its management API, and by nothing else.
struct ManagementChecks {
    let source: ConfigurationSource
    /// nil: it is not asked.
    let address: String?

    private struct Queue: Decodable {
        let name: String
        let leader: String?
        let node: String?
        let arguments: [String: Value]?
        let effectivePolicyDefinition: [String: Value]?

        var timeout: Int? {
            effectivePolicyDefinition?["consumer-timeout"]?.number ?? arguments?["x-consumer-timeout"]?.number
        }
    }

    /// Of which only numbers matter.
    private struct Value: Decodable {
        let number: Int?
        init(from decoder: any Decoder) throws { number = try? decoder.singleValueContainer().decode(Int.self) }
    }

    private struct Node: Decodable {
        let name: String
        let running: Bool
    }

    private struct Facts {
        let queues: [Queue]
        let nodes: [String]
        /// How far the broker's clock is ahead of ours.
        let ahead: Duration?
    }

    private static let patience = 1_800_000

    func run(_ report: inout DoctorReport) async {
        guard let address else {
            for (name, text) in [
                (
                    "ack timeout",
                    "30 minutes, unless the broker's consumer_timeout or a policy's consumer-timeout says otherwise, which "
                        + "it does not tell"
                ), ("leaders", "not looked at"), ("broker clock", "not looked at"),
            ] {
                report.add(.note, name, text, "ask with --management, or see docs/brokers.md")
            }
            return
        }
        guard let facts = await report.check("management", { (try await ask(address), "answers") }) else { return }
        await report.check("ack timeout") { try timeout(facts) }
        await report.check("leaders") { try leaders(facts) }
        await report.check("broker clock") {
            guard let ahead = facts.ahead else { throw DoctorNote("the management API tells no time") }
            let seconds = Int(ahead / .seconds(1))
            let text = "\(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead of") the broker's"
            guard abs(seconds) <= 5 else {
                throw DoctorWarning(
                    text, todo: "keep NTP running on both: jobs' ages and timestamps are wrong by as much")
            }
            return text
        }
    }

    private func ask(_ address: String) async throws -> Facts {
        let broker = try source.broker()
        let file = source.string(.amqpCAFile).flatMap { $0.isEmpty ? nil : $0 }
        let api = try ManagementAPI(address, of: broker, authorityFile: file)
        let vhost = broker.virtualHost.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let columns = "name,leader,node,arguments,effective_policy_definition"
        let (queues, date) = try await get([Queue].self, "/queues/\(vhost)?columns=\(columns)", api, broker)
        let (nodes, _) = try await get([Node].self, "/nodes?columns=name,running", api, broker)
        let names = Set(try source.pipeline().topology.queues.map(\.name))
        return Facts(
            queues: queues.filter { names.contains($0.name) }, nodes: nodes.filter(\.running).map(\.name),
            ahead: date.map { .seconds($0.timeIntervalSinceNow) })
    }

    private func get<Value: Decodable>(
        _ type: Value.Type, _ path: String, _ api: ManagementAPI, _ broker: AMQPConfiguration
    ) async throws -> (Value, Date?) {
        let answer = try await api.get(path)
        switch answer.status {
        case 200: break
        case 401, 403:
            throw DoctorWarning(
                "the management API answers \(answer.status) to \(broker.user)",
                todo: "run doctor as a user with the tag monitoring: rabbitmqctl set_user_tags NAME monitoring")
        default: throw DoctorWarning("the management API answers \(answer.status)")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return (try decoder.decode(type, from: answer.body), answer.date)
        } catch {
            throw DoctorWarning("the management API answers something else than what RabbitMQ does")
        }
    }

    private func timeout(_ facts: Facts) throws -> String {
        let queues = Set(try source.names().consumedQueues)
        let said = facts.queues.filter { queues.contains($0.name) }.compactMap { queue in
            queue.timeout.map { (queue.name, $0) }
        }
        guard let shortest = said.min(by: { $0.1 < $1.1 }) else {
            throw DoctorNote(
                "30 minutes, unless the broker's consumer_timeout says otherwise, which it does not tell; no policy changes it",
                todo: "see 'rabbitmqctl environment'")
        }
        guard shortest.1 >= Self.patience else {
            throw DoctorWarning(
                "\(shortest.0): \(shortest.1) ms, so a job that is open for longer is delivered twice",
                todo: "let consumer-timeout be 1800000 at least")
        }
        return "\(shortest.1) ms at least, by policy"
    }

    private func leaders(_ facts: Facts) throws -> String {
        guard facts.nodes.count > 1 else { return "one node has them all, being alone" }
        let counts = Dictionary(grouping: facts.queues) { $0.leader ?? $0.node ?? "?" }.mapValues(\.count)
        let text = facts.nodes.sorted().map { "\($0) \(counts[$0] ?? 0)" }.joined(separator: ", ")
        guard (counts.values.max() ?? 0) * 2 <= facts.queues.count + 1 else {
            throw DoctorWarning(
                "one node leads most queues: \(text)",
                todo: "rabbitmq-queues rebalance quorum, and queue_leader_locator = balanced in rabbitmq.conf")
        }
        return text
    }
}
