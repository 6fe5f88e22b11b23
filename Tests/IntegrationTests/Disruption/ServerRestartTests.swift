import APNSSimulator
import Foundation
import TestSupport
import Testing

extension PrivateServerTests {
    /// Restarts and outages of the broker or the database while a worker keeps running.
    @Suite(.serialized)
    struct ServerRestartTests {
        @Test(arguments: [PrivateServers.Server.rabbitmq, .postgres])
        func losesNothingWhenServerRestartsDuringCampaign(_ server: PrivateServers.Server) async throws {
            try await Installation.with(
                servers: PrivateServers.current, simulator: { $0.streamLimit = LongCampaign.streamLimit }
            ) { installation in
                let campaign = LongCampaign()
                try await installation.addTokenApp(LongCampaign.app)
                let port = try freePort()
                let listening = ["http.listen": "127.0.0.1:\(port)"]
                try await installation.withWorker(LongCampaign.workerConfiguration.merging(listening) { $1 }) {
                    worker in
                    try await installation.publish(campaign.jobs)
                    try await eventually(worker.errors) { installation.results.count >= campaign.recipients / 10 }
                    try await PrivateServers.restart(server)
                    #expect(worker.errors.contains("error"), "the worker notices the restart: \(worker.errors)")
                    try await campaign.finish(in: installation, port: port)
                    // If the database was away, tokens may be marked after the events are published.
                    try await eventually(worker.errors) {
                        // A restart of the database also closes the test's connections.
                        (try? await installation.markedTokens(of: LongCampaign.app))?.count == campaign.dead.count
                    }
                }
                try await campaign.check(in: installation)
            }
        }

        @Test(arguments: [PrivateServers.Server.rabbitmq, .postgres])
        func waitsAtStartForUnreachableServer(_ server: PrivateServers.Server) async throws {
            try await Installation.with(servers: PrivateServers.current) { installation in
                try await installation.addTokenApp(LongCampaign.app)
                try await PrivateServers.stop(server)
                try await installation.withWorker { worker in
                    let words = server == .rabbitmq ? "Cannot connect to the broker" : "Waiting for the database"
                    try await eventually(worker.errors) { worker.errors.contains(words) }
                    #expect(worker.isRunning)
                    try await PrivateServers.start(server)
                    // The test publishes only after the worker has connected, because the test's publisher also
                    // declares the topology.
                    try await eventually(worker.errors) { worker.errors.contains("Worker started") }
                    try await eventually(worker.errors) {
                        do {
                            try await installation.publish([
                                JobText("first", app: LongCampaign.app, to: [Token.random()])
                            ])
                            return true
                        } catch {
                            return false
                        }
                    }
                    try await installation.results.wait(for: 1)
                }
                #expect(installation.results.tally["sent"] != nil)
            }
        }
    }
}
