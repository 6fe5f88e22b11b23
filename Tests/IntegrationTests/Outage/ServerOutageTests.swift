import APNSSimulator
import Foundation
import TestSupport
import TestTraits
import Testing

extension OutageTests {
    enum ServerOutage: String, CaseIterable, Sendable {
        case broker = "the broker is away"
        case node = "one of the broker's nodes is away"
        case alarm = "the broker blocks publishers"
        case disk = "the broker's disk stalls"
        case database = "the database is away"
    }
}

extension PrivateServerTests {
    /// The outages of the broker and the database in docs/runbook.md, "Outages".
    @Suite(.serialized, .endsAHang)
    struct ServerOutageTests {
        private func happens(
            _ outage: OutageTests.ServerOutage, _ changes: [String: String] = [:], _ cause: () async throws -> Void,
            mend: () async throws -> Void
        ) async throws {
            try await Outage.happens(outage.rawValue, changes, servers: PrivateServers.current) { there, look in
                try await there.whilePushing("during", cause)
                // The worker publishes a retry of the push.
                await there.installation.simulator.cutConnections()
                do { try await look() } catch { Issue.record(error) }
                try await mend()
            }
        }

        @Test func reportsBrokerOutage() async throws {
            try await happens(.broker) {
                try await PrivateServers.stop(.rabbitmq)
            } mend: {
                try await PrivateServers.start(.rabbitmq)
            }
        }

        @Test func reportsDatabaseOutage() async throws {
            try await happens(.database) {
                try await PrivateServers.stop(.postgres)
            } mend: {
                try await PrivateServers.start(.postgres)
            }
        }

        @Test func reportsBlockedPublishers() async throws {
            try await happens(.alarm) {
                try await PrivateServers.evaluateInBroker("vm_memory_monitor:set_vm_memory_high_watermark(0.00001).")
            } mend: {
                try await PrivateServers.evaluateInBroker("vm_memory_monitor:set_vm_memory_high_watermark(0.4).")
            }
        }

        /// The test suspends the process that writes the log of quorum queues to disk. The push must be on the wire
        /// then, because the worker would have nothing to publish if the job were in a delay queue.
        @Test func reportsStalledDiskOfBroker() async throws {
            try await happens(.disk, ["apns.request_timeout": "3600"]) {
                try await PrivateServers.evaluateInBroker(
                    """
                    register(stalled, spawn(fun() -> true = erlang:suspend_process(whereis(ra_log_wal)),
                    receive go_on -> ok end end)).
                    """)
            } mend: {
                try await PrivateServers.evaluateInBroker("stalled ! go_on.")
            }
        }

        /// The worker continues with another node, so the outage needs no action by an operator.
        @Test func continuesWithOtherBrokerNode() async throws {
            let servers = LocalServers(instance: "outage-\(ProcessInfo.processInfo.processIdentifier)", nodes: 3)
            try await servers.up()
            do {
                let urls = Installation.Servers(broker: try servers.brokerURL, database: try servers.databaseURL)
                let ports = try servers.brokerPorts
                let hosts = [ports[2], ports[0], ports[1]].map { "127.0.0.1:\($0)" }.joined(separator: ",")
                let url = urls.broker.replacing("127.0.0.1:\(ports[0])", with: hosts)
                let outage = OutageTests.ServerOutage.node.rawValue
                try await Outage.happens(outage, ["amqp.url": url], servers: urls) { there, look in
                    try await there.whilePushing("during") { try await servers.stop(.rabbitmq(node: 3)) }
                    try await eventually("the node is lost") {
                        there.worker.errors.contains("broker.connection.lost")
                    }
                    try await look()
                    try await there.installation.results.wait(for: 2)
                    try await servers.start(.rabbitmq(node: 3))
                }
            } catch {
                Issue.record(error)
            }
            try await servers.wipe()
        }
    }
}
