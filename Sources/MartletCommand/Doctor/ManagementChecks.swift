import AMQPClient
import Contract
import DeliveryPipeline
import MartletConfiguration
import OutcomeLedger

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
                        + "not report either", "add --management, or see docs/brokers.md")
            }
            for name in ["policies", "bindings", "results queues", "leaders", "broker clock"] {
                report.add(.note, name, "not checked", "add --management, or see docs/brokers.md")
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
            guard let ahead = facts.ahead else { throw DoctorNote("the management API reports no time") }
            let seconds = Int(ahead / .seconds(1))
            let text = "\(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead of") the broker's clock"
            guard abs(seconds) <= 5 else {
                throw DoctorWarning(
                    text, todo: "synchronise both clocks with NTP; until then, ages and timestamps of jobs are wrong")
            }
            return text
        }
    }

    private func timeout(_ facts: ManagementFacts) throws -> String {
        let queues = Set(try source.names().consumedQueues)
        let timeouts = facts.queues.filter { queues.contains($0.name) }.compactMap { queue in
            queue.timeout.map { (queue.name, $0) }
        }
        guard let shortest = timeouts.map({ $0.1 }).min() else {
            throw DoctorNote(
                "30 minutes, unless the broker's consumer_timeout differs, which the API does not report; no policy changes it",
                todo: "see 'rabbitmqctl environment'")
        }
        let short = timeouts.filter { $0.1 < Self.patience }.map { "\($0.0): \($0.1) ms" }
        guard short.isEmpty else {
            throw DoctorWarning(
                "\(short.joined(separator: ", ")); a job that is open for longer is delivered twice",
                todo: "set consumer-timeout to at least \(Self.patience) for each of these queues")
        }
        return "at least \(shortest) ms, by policy"
    }

    private func policies(_ facts: ManagementFacts) throws -> String {
        let pipeline = try source.pipeline()
        let queues = pipeline.topology.queues + pipeline.names.ledgerTopology.queues
        let check = PolicyCheck(
            AMQPTopology(queues: queues, bindings: pipeline.topology.bindings), jobs: pipeline.names.jobs,
            facts.queues.map(\.policies))
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
        let check = BindingCheck(pipeline.topology, jobs: pipeline.names.jobs, found: facts.bindings)
        guard check.strays.isEmpty else {
            throw DoctorFault(
                (check.strays + check.gaps).joined(separator: "; "),
                todo: "remove the bindings that Martlet did not create, then check again")
        }
        guard check.gaps.isEmpty else {
            let text = check.gaps.joined(separator: "; ")
            guard isDeclared else {
                throw DoctorFault(text, todo: "run the commands that 'martlet topology --format rabbitmqadmin' prints")
            }
            throw DoctorWarning(text, todo: "start a worker, or run 'martlet doctor --declare'")
        }
        guard check.guests.isEmpty else {
            throw DoctorNote(
                "all expected bindings exist, and also others: \(check.guests.joined(separator: "; "))",
                todo: "remove bindings that are not needed, because a full queue can cause jobs to be refused")
        }
        return "exactly the expected bindings exist"
    }

    private func leaders(_ facts: ManagementFacts) throws -> String {
        guard facts.nodes.count > 1 else { return "the broker has only one node" }
        let counts = Dictionary(grouping: facts.queues) { $0.leader ?? $0.node ?? "?" }.mapValues(\.count)
        let text = facts.nodes.sorted().map { "\($0) \(counts[$0] ?? 0)" }.joined(separator: ", ")
        guard (counts.values.max() ?? 0) * 2 <= facts.queues.count + 1 else {
            throw DoctorWarning(
                "one node leads most queues: \(text)",
                todo: "run \(try rebalancing()), and set queue_leader_locator = balanced in rabbitmq.conf")
        }
        return text
    }

    /// Returns the command that distributes the leaders of all of Martlet's queues. Without patterns, RabbitMQ balances
    /// all queues of the broker together, which may leave most of Martlet's leaders on one node.
    private func rebalancing() throws -> String {
        let host = TopologyPlan.quoted("^\(BrokerUser.escaped(try source.broker().virtualHost))$")
        let queues = TopologyPlan.quoted("^\(BrokerUser.escaped(try source.names().prefix))\\.")
        return "rabbitmq-queues rebalance quorum --vhost-pattern \(host) --queue-pattern \(queues)"
    }
}
