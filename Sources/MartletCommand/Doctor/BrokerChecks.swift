import AMQPClient
import Contract
import DeliveryPipeline
import Logging
import MartletConfiguration
import Observability
import PushModel

/// The checks of the broker that `doctor` makes as the user of a worker or of an operator.
struct BrokerChecks {
    let source: ConfigurationSource
    /// Whether to declare missing exchanges and queues.
    let declares: Bool
    /// Whether the user belongs to an operator, who has fewer permissions than a worker.
    let isOperator: Bool
    let management: String?

    /// The message size that the broker must accept, in bytes. Result events have at most 256 KiB, but jobs that a
    /// worker publishes again may be larger.
    private static let needed = 1 << 20

    func run(_ report: inout DoctorReport) async {
        let found = await report.check("broker") {
            let found = try await look()
            return (found, "connected to \(found.broker)")
        }
        guard let found else { return }
        let promises = BrokerGuarantees(product: found.broker)
        await report.check("product") {
            guard promises.weaknesses.isEmpty else {
                throw DoctorWarning(
                    promises.weaknesses.joined(separator: "; "),
                    todo: "use RabbitMQ 3.10 or later, or accept these limits")
            }
            return "supports all guarantees of Martlet"
        }
        await report.check("queues") { try queues(found) }
        await report.check("read") {
            guard promises.isRabbitMQ else { throw DoctorNote("not checked: other brokers may accept the test") }
            guard found.unreadable.isEmpty else {
                throw DoctorFault(
                    "may not read \(Self.some(found.unreadable))",
                    todo: "grant the user the read permissions that 'martlet topology --users' prints\(otherwise)")
            }
            return isOperator ? "may read the dead-letter queue" : "may read the queues of jobs"
        }
        await publishing(promises, found, &report)
        await report.check("message size") { try size(promises) }
        await ManagementChecks(source: source, address: management, promises: promises).run(&report)
    }

    private func look() async throws -> AMQPInspection {
        let broker = try source.broker()
        let pipeline = try source.pipeline()
        let isDeclared = pipeline.provision == .declared && !isOperator
        if declares {
            guard isDeclared else {
                throw DoctorFault(
                    "--declare has no effect with amqp.declare: false", todo: "create what 'martlet topology' prints")
            }
            let publisher = try AMQPPublisher(
                configuration: broker, topology: pipeline.topology,
                logger: try source.logger("martlet.doctor", atLeast: .critical))
            try await publisher.connectOnce()
            await publisher.close()
        }
        var topology = pipeline.topology
        if isOperator {
            let used = [pipeline.names.jobs, pipeline.names.results, pipeline.names.dead]
            topology.exchanges.removeAll { !used.contains($0.name) }
        }
        // The broker compares arguments only for a user with the permission to configure the queue or exchange.
        return try await AMQPInspection.look(
            at: topology, on: broker, comparesProperties: isDeclared,
            readingFrom: isOperator ? [pipeline.names.dead] : pipeline.names.consumedQueues)
    }

    /// The last part of the advice for a missing permission, which suggests `--operator`. It is empty if that option is
    /// already given.
    private var otherwise: String { isOperator ? "" : "; for the user of an operator, add --operator" }

    private func queues(_ found: AMQPInspection) throws -> String {
        if !found.problems.isEmpty {
            let isRefused = found.problems.contains { $0.code == .accessRefused }
            throw DoctorFault(
                Self.some(found.problems.map(\.description), separator: "; "),
                todo: isRefused ? "grant the permissions that 'martlet topology --users' prints\(otherwise)" : "")
        }
        let isDeclared = try source.pipeline().provision == .declared
        if isDeclared || isOperator, !found.unseen.isEmpty {
            throw DoctorFault(
                "may not check \(Self.some(found.unseen))",
                todo: "grant the user the permissions that 'martlet topology --users' prints\(otherwise)")
        }
        guard found.missing.isEmpty else {
            let text = "missing: \(Self.some(found.missing))"
            guard isDeclared else {
                throw DoctorFault(text, todo: "create what 'martlet topology' prints")
            }
            throw DoctorWarning(
                "\(text); a worker declares them when it starts, and within a minute while it runs",
                todo: "start a worker, or run 'martlet doctor --declare'")
        }
        guard found.unseen.isEmpty else {
            throw DoctorNote(
                "may not check \(Self.some(found.unseen)); nothing else is missing",
                todo:
                    "grant the user the permissions that 'martlet topology --users' prints; RabbitMQ 4.2.6 and 4.3.0 "
                    + "also require the permission to configure")
        }
        return isDeclared && !isOperator
            ? "all exchanges and queues exist with the expected arguments"
            : "all exchanges and queues exist; arguments are checked only with permission to configure, bindings only with --management"
    }

    // MARK: Trial publications

    /// The time limit for all trial publications together.
    private static let patience = Duration.seconds(10)

    private func publishing(
        _ promises: BrokerGuarantees, _ found: AMQPInspection, _ report: inout DoctorReport
    ) async {
        await report.check("write") {
            guard promises.isRabbitMQ else { throw DoctorNote("not checked: other brokers may accept the test") }
            let broker = try source.broker()
            let names = try source.names()
            let publisher = try AMQPPublisher(
                configuration: broker, logger: try source.logger("martlet.doctor", atLeast: .critical))
            try await publisher.connectOnce()
            // A broker with an alarm stops reading from publishers and sends no answer.
            let end = Task {
                guard (try? await Task.sleep(for: Self.patience)) != nil else { return false }
                await publisher.close(drain: .zero)
                return true
            }
            let fault = await tried(try source.pipeline(), found.missing, broker.user, publisher)
            end.cancel()
            if await end.value {
                throw DoctorFault(
                    "does not answer publications; it may block publishers because memory or disk space is low",
                    todo: "check for an alarm with 'rabbitmq-diagnostics alarms'")
            }
            await publisher.close()
            if let fault { throw fault }
            let missing = found.missing.contains { $0.hasPrefix("exchange ") }
            if isOperator { return "may publish jobs as \(broker.user)" }
            return missing
                ? "may write to the exchanges that exist"
                : "may write to the exchanges of \(names.prefix) as \(broker.user)"
        }
    }

    private func tried(
        _ pipeline: PipelineConfiguration, _ missing: [String], _ user: String, _ publisher: AMQPPublisher
    ) async -> DoctorFault? {
        var refusals: [String] = []
        let exchanges = isOperator ? [pipeline.names.jobs] : pipeline.publishedExchanges
        for exchange in exchanges where !missing.contains("exchange \(exchange)") {
            switch await reply(to: .refused(by: exchange, bytes: 0), publisher) {
            // Code 406 means that the user may write to the exchange. The broker rejected only the message itself,
            // which is invalid for every queue.
            case .some(let reply) where reply.code == 406: continue
            case let reply: refusals.append("may not write to \(exchange): \(reply.map(\.description) ?? "no answer")")
            }
        }
        if !refusals.isEmpty {
            return DoctorFault(
                Self.some(refusals, separator: "; "),
                todo: "grant the user the write permissions that 'martlet topology --users' prints\(otherwise)")
        }
        if isOperator { return nil }
        let moved = pipeline.names.moved
        if missing.contains("exchange \(moved)") { return nil }
        let large = await reply(to: .refused(by: moved, bytes: Self.needed), publisher)
        if let large, large.text.contains("size") {
            return DoctorFault("refuses a message of 1 MiB: \(large)", todo: "increase the broker's max_message_size")
        }
        // No queue is bound with this routing key, so the broker returns the mandatory message with code 312.
        if let asUser = await reply(to: .returned(by: moved, user: user), publisher), asUser.code != 312 {
            return DoctorFault(
                "is not known to the broker as \(user), which messages name as their publisher: \(asUser)",
                todo: "set the user in amqp.url to the one that the broker takes from the certificate or token")
        }
        return nil
    }

    private func reply(to publication: AMQPPublication, _ publisher: AMQPPublisher) async -> AMQPError.Reply? {
        do {
            try await publisher.publishAndWait([publication])
            return nil
        } catch {
            return error.reply ?? AMQPError.Reply(code: 0, text: error.message)
        }
    }

    private func size(_ promises: BrokerGuarantees) throws -> String {
        let largest = try source.pipeline().limits.maximumJobBytes
        guard let limit = promises.standardMessageSize else {
            throw DoctorNote("the broker's limit is unknown", todo: "compare it with jobs.maximum_bytes, \(largest)")
        }
        guard largest > limit else { return "jobs.maximum_bytes is within the broker's default limit, \(limit) bytes" }
        throw DoctorNote(
            "this version accepts messages of at most \(limit) bytes by default, and AMQP does not report its "
                + "max_message_size; jobs.maximum_bytes is \(largest)",
            todo: "the broker may refuse larger jobs (406): split them, or increase max_message_size")
    }

    private static func some(_ names: [String], separator: String = ", ") -> String {
        let shown = names.prefix(3).joined(separator: separator)
        return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
    }
}

extension AMQPPublication {
    /// Returns a message that RabbitMQ rejects after it has checked the message's size and the permission to publish.
    /// The expiration is invalid, and the header `CC` is not a list of keys. Therefore no queue receives the message,
    /// regardless of the bindings.
    fileprivate static func refused(by exchange: String, bytes: Int) -> AMQPPublication {
        AMQPPublication(
            id: 0, exchange: exchange, routingKey: "martlet.doctor", isMandatory: true,
            properties: AMQPProperties(headers: ["CC": "doctor"], expiration: "never"),
            body: [UInt8](repeating: 0, count: bytes))
    }

    fileprivate static func returned(by exchange: String, user: String) -> AMQPPublication {
        AMQPPublication(
            id: 0, exchange: exchange, routingKey: "martlet.doctor", isMandatory: true,
            properties: AMQPProperties(userID: user), body: [])
    }
}
