import Contract
import DeliveryPipeline
import Foundation
import TestSupport
import Testing
import WorkerTestSupport

extension BrokersPageTests {
    @Test func doctorReportsResultsQueueWithoutConsumer() async throws {
        try await with { installation, servers in
            try await servers.run("rabbitmq-plugins enable rabbitmq_management", in: installation.folder)
            let changes = ["amqp.url": try servers.administratorURL]
            func expect(_ finding: String) async throws {
                // The management API collects its statistics every five seconds.
                try await eventually(finding) {
                    try await installation.martlet(
                        ["doctor", "--management", "http://127.0.0.1:\(servers.managementPort)"], changes
                    ).output.replacing(#/\ +/#, with: " ").contains(finding)
                }
            }
            let queue = ResultQueue.name(installation.names)
            try await installation.withWorker { _ in
                try await expect("ok results queues \(queue): 0 messages, 1 consumer")
                await installation.results.stop()
                try await installation.publish(raw: ["{}"])
                try await expect("WARN results queues no consumer reads \(queue): 1 message")
            }
            try await installation.broker.delete(queues: [queue], exchanges: [])
            try await expect("WARN results queues no queue is bound to \(installation.names.results)")
        }
    }
}
