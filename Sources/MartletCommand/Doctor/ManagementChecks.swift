import AMQPClient
import DeliveryPipeline
import OutcomeLedger
import MartletService

/// The checks that require RabbitMQ's management API.
struct ManagementChecks {
    let source: ConfigurationSource
    /// The address of the management API, or `nil` to skip these checks.
    let address: String?
    let promises: BrokerGuarantees

    private static let patience = PipelineConfiguration.acknowledgementTimeoutMilliseconds

    func run(_ report: inout DoctorReport) async {
        if promises.takesConsumerTimeouts {
            report.add(
                .ok, "ack timeout", "30 minutes: each worker requests this time, which overrides the broker's settings")
        }
        guard let address else {
            if !promises.takesConsumerTimeouts {
                report.add(
                    .note, "ack timeout",
                    "30 minutes, unless the broker's consumer_timeout or a policy's consumer-timeout differs; AMQP does "
                        + "not report either", "run with --management, or see docs/brokers.md")
            }
            for name in ["policies", "bindings", "results queues", "leaders", "broker clock"] {
                report.add(.note, name, "not checked", "run with --management, or see docs/brokers.md")
            }
            return
        }
        guard let facts = await report.check("management", { (try await ManagementFacts(address, source), "answers") })
        else { return }
        if !promises.takesConsumerTimeouts { await report.check("ack timeout") { try timeout(facts) } }
        await report.check("policies") { try policies(facts) }
        await report.check("bindings") { try bindings(facts) }
        await report.check("results queues") { try facts.resultsReaders.finding() }
        await report.check("leaders") { try leaders(facts) }
        await report.check("broker clock") {
            guard let ahead = facts.ahead else { throw DoctorNote("the management API returned no time") }
            let seconds = Int(ahead / .seconds(1))
            let text = "\(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead of") the broker's"
            guard abs(seconds) <= 5 else {
                throw DoctorWarning(
                    text, todo: "run NTP on both: ages and timestamps of jobs are wrong by the same amount")
            }
            return text
        }
    }

    private func timeout(_ facts: ManagementFacts) throws -> String {
        let queues = Set(try source.names().consumedQueues)
        let said = facts.queues.filter { queues.contains($0.name) }.compactMap { queue in
            queue.timeout.map { (queue.name, $0) }
        }
        guard let shortest = said.min(by: { $0.1 < $1.1 }) else {
            throw DoctorNote(
                "30 minutes, unless the broker's consumer_timeout differs, which is not reported; no policy changes it",
                todo: "see 'rabbitmqctl environment'")
        }
        guard shortest.1 >= Self.patience else {
            throw DoctorWarning(
                "\(shortest.0): \(shortest.1) ms, so a job that is open for longer is delivered twice",
                todo: "set consumer-timeout to at least 1800000")
        }
        return "at least \(shortest.1) ms, by policy"
    }

    private func policies(_ facts: ManagementFacts) throws -> String {
        let pipeline = try source.pipeline()
        let queues = pipeline.topology.queues + pipeline.names.ledgerTopology.queues
        let check = PolicyCheck(
            AMQPTopology(queues: queues), dropped: pipeline.names.dropped, facts.queues.map(\.policies))
        guard check.dangers.isEmpty else {
            throw DoctorFault(
                check.dangers.joined(separator: "; "),
                todo: "exclude Martlet's queues from the policy, see docs/brokers.md#policies")
        }
        return "no policy loses or moves jobs of Martlet's queues"
    }

    private func bindings(_ facts: ManagementFacts) throws -> String {
        let pipeline = try source.pipeline()
        let isDeclared = pipeline.provision == .declared
        let check = BindingCheck(pipeline.topology, found: facts.bindings)
        guard check.strays.isEmpty else {
            throw DoctorFault(
                (check.strays + check.copies + check.gaps + check.differences).joined(separator: "; "),
                todo: "remove the bindings that Martlet did not create, then run doctor again")
        }
        let todo =
            isDeclared
            ? "start a worker, or run 'martlet doctor --declare'"
            : "run what 'martlet topology --format rabbitmqadmin' prints, which also unbinds"
        if !check.copies.isEmpty || !(check.gaps.isEmpty || isDeclared) {
            throw DoctorFault((check.copies + check.gaps + check.differences).joined(separator: "; "), todo: todo)
        }
        let odd = check.gaps + check.differences
        guard odd.isEmpty else { throw DoctorWarning(odd.joined(separator: "; "), todo: todo) }
        guard check.guests.isEmpty else {
            throw DoctorNote(
                "each key is routed as required, and also elsewhere: \(check.guests.joined(separator: "; "))",
                todo: "remove unneeded bindings: a full queue may cause jobs to be refused")
        }
        return "each key is routed as required, and only once"
    }

    private func leaders(_ facts: ManagementFacts) throws -> String {
        guard facts.nodes.count > 1 else { return "one node leads all queues, because there is only one" }
        let counts = Dictionary(grouping: facts.queues) { $0.leader ?? $0.node ?? "?" }.mapValues(\.count)
        let leaders = Dictionary(facts.queues.map { ($0.name, $0.leader ?? $0.node ?? "?") }) { $1 }
        let crowded =
            try source.pipeline().topology.sharding.map {
                LaneLeaders.crowded($0, leaders: leaders, nodes: facts.nodes.count)
            } ?? []
        guard crowded.isEmpty else {
            throw DoctorWarning(
                "all shards are led by fewer nodes than possible: \(crowded.joined(separator: ", "))",
                todo: "for each of them, rabbitmq-queues rebalance quorum --queue-pattern '^\(crowded[0])(\\.[0-9]+)?$'"
            )
        }
        let text = facts.nodes.sorted().map { "\($0) \(counts[$0] ?? 0)" }.joined(separator: ", ")
        guard (counts.values.max() ?? 0) * 2 <= facts.queues.count + 1 else {
            throw DoctorWarning(
                "one node leads most queues: \(text)",
                todo: "rabbitmq-queues rebalance quorum, and queue_leader_locator = balanced in rabbitmq.conf")
        }
        return text
    }
}
