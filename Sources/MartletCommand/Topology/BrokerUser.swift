import Contract
import DeliveryPipeline
import OutcomeLedger

/// A broker user with minimal permissions. Each permission is a regular expression for the names of exchanges and
/// queues.
struct BrokerUser: Sendable, Hashable {
    let name: String
    let configure: String
    let write: String
    let read: String

    private static let nothing = "^$"

    /// Returns all users that Martlet needs.
    /// - Parameters:
    ///   - declares: whether workers declare missing exchanges and queues.
    ///   - ledger: whether to include the user of `martlet ledger`.
    static func all(names: PipelineNames, declares: Bool, ledger: Bool) -> [BrokerUser] {
        let prefix = escaped(names.prefix)
        let results = escaped(names.results)
        let own = "^\(prefix)\\..*"
        // The dot excludes names whose prefix is longer but begins with this prefix.
        let worker =
            declares
            ? BrokerUser(name: "\(names.prefix)-worker", configure: own, write: own, read: own)
            : BrokerUser(
                name: "\(names.prefix)-worker", configure: nothing,
                write: "^\(prefix)\\.(jobs|moved|results|dead|delay\\.[0-9]+)$",
                read: "^\(prefix)\\.(jobs\\..*|dropped)$")
        let consumer = "^\(prefix)-consumer\\."
        var users = [
            worker,
            BrokerUser(
                name: "\(names.prefix)-publisher", configure: nothing, write: "^\(escaped(names.jobs))$", read: nothing),
            BrokerUser(
                name: "\(names.prefix)-consumer", configure: consumer, write: consumer,
                read: "^(\(prefix)-consumer\\..*|\(results))$"),
            // This user publishes jobs, consumes results, takes out dead jobs and checks all queues. Since RabbitMQ
            // 4.2.6, a check requires a permission on the queue. The permission `write` does not allow a user to remove
            // messages or delete queues.
            BrokerUser(
                name: "\(names.prefix)-operator", configure: "^\(prefix)\\.tail\\.",
                write: "^\(prefix)\\.(jobs|delay|dropped|ledger|tail)(\\.|$)",
                read: "^\(prefix)\\.(dead$|results$|tail\\.)"),
        ]
        if ledger {
            let queue = "^\(escaped(names.ledger))$"
            users.append(
                declares
                    ? BrokerUser(
                        name: "\(names.prefix)-ledger", configure: queue, write: queue,
                        read: "^(\(escaped(names.ledger))|\(results))$")
                    : BrokerUser(name: "\(names.prefix)-ledger", configure: nothing, write: nothing, read: queue))
        }
        return users
    }

    /// Returns a part of a regular expression that matches the name literally.
    static func escaped(_ name: String) -> String {
        String(name.flatMap { #"\.+*?()[]{}|^$"#.contains($0) ? ["\\", $0] : [$0] })
    }
}
