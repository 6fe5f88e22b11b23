import Foundation

/// The URLs of the servers that `make test` provides.
package enum TestServers {
    /// The URL of the broker, with an administrator as user.
    package static let broker = value("MARTLET_TEST_AMQP_URL")
    /// The URL of the broker, with a user that has the permissions that docs/brokers.md gives a worker.
    package static let workerBroker = value("MARTLET_TEST_WORKER_AMQP_URL")
    package static let database = value("MARTLET_TEST_DATABASE_URL")

    private static func value(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
