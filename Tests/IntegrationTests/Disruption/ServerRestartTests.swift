import APNSSimulator
import Foundation
import TestSupport
import Testing

extension PrivateServerTests {
    /// The broker or the database goes and comes back while one and the same worker keeps running.
    @Suite(.serialized)
    struct ServerRestartTests {
        @Test(arguments: [PrivateServers.Server.rabbitmq, .postgres])
        func aRestartDuringACampaignLosesNothing(_ server: PrivateServers.Server) async throws {
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
                    #expect(worker.errors.contains("error"), "the restart was noticed: \(worker.errors)")
                    try await campaign.finish(in: installation, port: port)
                    // The marks come after the events when the database was away.
                    try await eventually(worker.errors) {
                        // The test's own connections to the database are gone, too.
                        (try? await installation.markedTokens(of: LongCampaign.app))?.count == campaign.dead.count
                    }
                }
                try await campaign.check(in: installation)
            }
        }

        @Test(arguments: [PrivateServers.Server.rabbitmq, .postgres])
        func aServerThatIsAwayAtStartIsWaitedForAloud(_ server: PrivateServers.Server) async throws {
            try await Installation.with(servers: PrivateServers.current) { installation in
                try await installation.addTokenApp(LongCampaign.app)
                try await PrivateServers.stop(server)
                try await installation.withWorker { worker in
                    let words = server == .rabbitmq ? "Can't connect to the broker" : "Waiting for the database"
                    try await eventually(worker.errors) { worker.errors.contains(words) }
                    #expect(worker.isRunning)
                    try await PrivateServers.start(server)
                    // Not before it has connected: a publisher of ours would declare things for it.
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
