import Contract
import DeliveryPipeline
import Foundation
import PushModel
import TestSupport
import Testing

extension BrokersPageTests {
    /// The shell scripts bind their queue through the management API, so they need a broker with the management plugin.
    @Test func publishesAndConsumesInShell() async throws {
        let servers = try #require(BrokerServers.current)
        try await Installation.with(servers: try servers.installation) { installation in
            let app = "com.example.shop"
            try await installation.addTokenApp(app)
            let (queue, configuration) = (ClientExample.queue(installation), try installation.configuration())
            let source = Project.root.appending(path: "examples/clients/shell")
            let folder = try ClientExample.copy(source, installation)
            let administrator = try #require(URLComponents(string: try servers.administratorURL))
            let (user, password) = (administrator.user ?? "", administrator.password ?? "")
            try installation.write("machine 127.0.0.1 login \(user) password \(password)\n", to: ".netrc")
            try installation.write("username:\(user)\npassword:\(password)\n", to: "auth")
            try await servers.run("rabbitmq-plugins enable rabbitmq_management", in: installation.folder)
            let api = "http://127.0.0.1:\(servers.managementPort)/api"
            try await servers.run(
                "until curl -sfn -o /dev/null --netrc-file .netrc \(api)/overview; do :; done", in: installation.folder)

            let (good, dead, later) = (Token.random(), Token.random(Token.dead), Token.random(Token.dead))
            try await installation.withWorker { worker in
                try await installation.eventuallyConsumes(worker)
                let consumer = try Subprocess(
                    [
                        folder.appending(path: "consume.sh").path, "--server", "127.0.0.1",
                        "--port", "\(try #require(administrator.port))", "--authfile", installation.path("auth"),
                    ], environment: ["RABBITMQ_API": api, "HOME": installation.folder.path], in: folder)
                defer { consumer.signal(SIGKILL) }
                try await eventually("the script consumes: \(consumer.errors)") {
                    try await installation.broker.consumers(of: queue) == 1
                }
                try await servers.run(
                    "\(folder.path)/publish.sh order-1 \(good) \(dead)", martlet: configuration,
                    in: installation.folder)
                try await eventually("the script prints the dead token: \(consumer.output)\(consumer.errors)") {
                    consumer.output.hasPrefix("dead \(dead) 20")
                }
                try await servers.run(
                    "\(folder.path)/publish.sh order-2 \(later)", martlet: configuration, in: installation.folder)
                let unclear = ClientExample.unclearJob("order-3", app: app)
                try await installation.publish([unclear.job])
                try await eventually("the script prints later events: \(consumer.output)\(consumer.errors)") {
                    consumer.output.contains("dead \(later) 20") && consumer.output.contains("\(unclear.line)\n")
                }
                consumer.signal(SIGKILL)
                _ = try await consumer.finish()
                try await eventually("the consumer is gone") { try await installation.broker.consumers(of: queue) == 0 }
                let left = try #require(try await installation.broker.counts([queue])[queue])
                #expect(left <= 1, "at most the last event is left: it is printed before it is acknowledged")
            }
            #expect(installation.results.tally["sent"] == 1)
            let other = try installation.configuration(
                ["amqp.prefix": "\(installation.names.prefix).other"], file: "other.yaml")
            await #expect(throws: Failure.self, "the publisher fails because the exchange does not exist") {
                try await servers.run(
                    "\(folder.path)/publish.sh order-4 \(good)", martlet: other, in: installation.folder)
            }
            try await installation.broker.delete(queues: [queue], exchanges: [])
        }
    }
}
