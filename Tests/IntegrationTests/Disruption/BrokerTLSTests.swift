import AMQPClient
import Foundation
import TestSupport
import Testing

extension PrivateServerTests {
    /// Connections to a real broker with `amqps://`.
    struct BrokerTLSTests {
        @Test func verifiesCertificateOfBroker() async throws {
            let certificates = try await BrokerCertificates()
            defer { certificates.delete() }
            let good = try await listen(certificates, "localhost")
            try await connect(certificates, "localhost", good, "cacertfile=\(certificates.path("ca.pem"))")
            try await connect(certificates, "localhost", good, "verify=verify_none")
            let byAddress = try await listen(certificates, "address")
            try await connect(certificates, "127.0.0.1", byAddress, "cacertfile=\(certificates.path("ca.pem"))")

            let refusals = [
                ("localhost", good, "other-ca.pem", "self-signed certificate in certificate chain"),
                ("127.0.0.1", good, "ca.pem", "IP address mismatch"),
                ("localhost", byAddress, "ca.pem", "hostname mismatch"),
                ("localhost", try await listen(certificates, "expired"), "ca.pem", "certificate has expired"),
            ]
            for (host, port, authority, words) in refusals {
                let error = await #expect(throws: AMQPError.self) {
                    try await connect(certificates, host, port, "cacertfile=\(certificates.path(authority))")
                }
                #expect(error?.code == .tlsFailed && error?.message.contains(words) == true, "\(error as Any)")
                #expect(error?.isRetriable == false)
            }
            let missing = await #expect(throws: AMQPError.self) {
                try await connect(certificates, "localhost", good, "cacertfile=/nowhere/ca.pem")
            }
            #expect(missing?.message.contains("/nowhere/ca.pem") == true)
        }

        @Test func sendsClientCertificate() async throws {
            let certificates = try await BrokerCertificates()
            defer { certificates.delete() }
            let port = try await listen(certificates, "localhost", asksForCertificate: true)
            let authority = "cacertfile=\(certificates.path("ca.pem"))"
            let (file, key) = (certificates.path("client.pem"), certificates.path("client.key"))
            try await connect(certificates, "localhost", port, "\(authority)&certfile=\(file)&keyfile=\(key)")
            await #expect(throws: AMQPError.self) { try await connect(certificates, "localhost", port, authority) }
            let wrong = await #expect(throws: AMQPError.self) {
                try await connect(
                    certificates, "localhost", port,
                    "\(authority)&certfile=\(file)&keyfile=\(certificates.path("expired.key"))")
            }
            #expect(wrong?.message.contains("expired.key") == true, "\(wrong as Any)")
        }

        /// Starts a TLS listener of the broker with one of the certificates, and returns its port.
        private func listen(
            _ certificates: BrokerCertificates, _ name: String, asksForCertificate: Bool = false
        ) async throws -> Int {
            let port = try freePort()
            let verification =
                asksForCertificate ? "{verify, verify_peer}, {fail_if_no_peer_cert, true}" : "{verify, verify_none}"
            try await PrivateServers.evaluateInBroker(
                """
                {ok, _} = application:ensure_all_started(ssl),
                ok = rabbit_networking:start_ssl_listener({"127.0.0.1", \(port)}, [
                    {cacertfile, "\(certificates.path("ca.pem"))"}, {certfile, "\(certificates.path("\(name).pem"))"},
                    {keyfile, "\(certificates.path("\(name).key"))"}, \(verification)], 10).
                """)
            return port
        }

        /// Connects to the broker, publishes a message and waits for its confirm.
        private func connect(
            _ certificates: BrokerCertificates, _ host: String, _ port: Int, _ options: String
        ) async throws {
            let servers = try #require(PrivateServers.current)
            var components = try #require(URLComponents(string: servers.broker))
            (components.scheme, components.host, components.port, components.query) = ("amqps", host, port, options)
            let queue = AMQPQueue(name: "martlet.tls-\(UUID().uuidString)", isExclusive: true)
            let exchange = AMQPExchange(name: "martlet.tls", kind: .direct)
            let publisher = try AMQPPublisher(
                configuration: try AMQPConfiguration(url: try #require(components.string)),
                topology: AMQPTopology(
                    exchanges: [exchange], queues: [queue],
                    bindings: [AMQPBinding(queue: queue.name, exchange: exchange.name, routingKey: queue.name)]),
                logger: LogRecorder().logger("tls"))
            try await publisher.connectOnce()
            // The message needs several TLS records and several AMQP frames.
            try await publisher.publishAndWait([
                AMQPPublication(
                    id: 1, exchange: exchange.name, routingKey: queue.name, isMandatory: true,
                    body: Array(repeating: 7, count: 1_000_000))
            ])
            await publisher.close()
        }
    }
}
