import AMQPClient
import Contract
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import Foundations

/// A steady load of jobs for all apps. Watched apps get more jobs, so that each worker soon receives one of them.
final class SteadyLoad: Sendable {
    private let tokens = Mutex<[String: String]>([:])

    /// The device tokens of all published jobs, with their apps.
    var published: [String: String] { tokens.withLock { $0 } }

    /// Publishes jobs while `body` runs.
    static func run(
        in installation: Installation, apps: [String], watched: [String], _ body: (SteadyLoad) async throws -> Void
    ) async throws {
        let load = SteadyLoad()
        let publisher = try AMQPPublisher(
            configuration: try installation.brokerConfiguration(), topology: installation.names.topology(delays: []),
            logger: installation.log.logger("load"))
        try await publisher.connectOnce()
        let apps = apps + watched.flatMap { Array(repeating: $0, count: 5) }
        let work = Task {
            while !Task.isCancelled {
                try await load.publishRound(for: apps, with: publisher, exchange: installation.names.jobs)
                // With 60 pushes in a round, this interval allows at most 250 pushes per second.
                try? await Task.sleep(for: .milliseconds(240))
            }
        }
        do {
            try await body(load)
        } catch {
            work.cancel()
            _ = await work.result
            await publisher.close()
            throw error
        }
        work.cancel()
        try await work.value
        await publisher.close()
    }

    private func publishRound(for apps: [String], with publisher: AMQPPublisher, exchange: String) async throws {
        var publications: [AMQPPublication] = []
        for (index, app) in apps.enumerated() {
            let token = Token.random()
            tokens.withLock { $0[token] = app }
            publications.append(
                AMQPPublication(
                    id: UInt64(index), exchange: exchange, routingKey: Lane.normal.rawValue, isMandatory: true,
                    properties: AMQPProperties(contentType: "application/json"),
                    body: Array(JobText(token, app: app, to: [token]).json.utf8)))
        }
        try await publisher.publishAndWait(publications)
    }
}
