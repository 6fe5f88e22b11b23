import TestSupport
package import Testing

/// Conditions for the servers and programs that a test needs. Without them the test is skipped, and the report gives
/// the reason.
extension Trait where Self == ConditionTrait {
    package static var needsBroker: Self {
        .enabled(if: TestServers.broker != nil, "MARTLET_TEST_AMQP_URL is not set")
    }

    package static var needsDatabase: Self {
        .enabled(if: TestServers.database != nil, "MARTLET_TEST_DATABASE_URL is not set")
    }

    /// Requires the URL of the database, and a URL of the broker with the user of a worker.
    package static var needsServers: Self {
        .enabled(
            if: TestServers.workerBroker != nil && TestServers.database != nil,
            "MARTLET_TEST_WORKER_AMQP_URL and MARTLET_TEST_DATABASE_URL are not set")
    }

    package static var needsPooler: Self { .enabled(if: Pooler.isInstalled, "pgbouncer is not installed") }
}
