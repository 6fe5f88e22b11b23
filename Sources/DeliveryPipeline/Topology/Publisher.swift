package import AMQPClient

/// Who has published a job, as far as it is known for certain: apps may name those who may push to them.
extension AMQPProperties {
    /// The broker-validated user (rabbitmq.com, "Validated User-ID"); for a job that a worker has published again, whom
    /// that worker named. nil: nobody has said.
    package func publisher(worker: String?) -> String? {
        guard let user = userID, !user.isEmpty else { return nil }
        guard user == worker else { return user }
        guard let named = headers[JobHeader.publisher]?.string else { return user }
        return named.isEmpty ? nil : named
    }

    /// For a job that `worker` publishes again: its own user, which the broker validates, and beside it the
    /// publisher's. Says as well that there is none, or else a header that the publisher wrote would be believed.
    package mutating func sign(as worker: String?, for publisher: String?) {
        userID = worker
        headers[JobHeader.publisher] = worker == nil && publisher == nil ? nil : .string(publisher ?? "")
    }
}
