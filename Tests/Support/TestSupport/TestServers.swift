import Foundation

/// The URLs of the servers that `make test` provides.
package enum TestServers {
    /// As an administrator of the broker.
    package static let broker = value("MARTLET_TEST_AMQP_URL")
    /// As a user with the rights that docs/brokers.md gives a worker.
    package static let workerBroker = value("MARTLET_TEST_WORKER_AMQP_URL")
    package static let database = value("MARTLET_TEST_DATABASE_URL")

    private static func value(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
