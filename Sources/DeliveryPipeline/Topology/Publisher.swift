package import AMQPClient

/// The publisher of a job, as far as it is certain. An app may restrict who may push to it.
extension AMQPProperties {
    /// Returns the user validated by the broker (rabbitmq.com, "Validated User-ID"). For a job that a worker published
    /// again, returns the user that the worker named. Returns `nil` if the publisher is unknown.
    package func publisher(worker: String?) -> String? {
        guard let user = userID, !user.isEmpty else { return nil }
        guard user == worker else { return user }
        guard let named = headers[JobHeader.publisher]?.string else { return user }
        return named.isEmpty ? nil : named
    }

    /// Sets the user and the publisher of a job that `worker` publishes again. The broker validates the user. The
    /// publisher's header is also set if the publisher is unknown, because a header from the publisher would otherwise
    /// be trusted.
    package mutating func sign(as worker: String?, for publisher: String?) {
        userID = worker
        headers[JobHeader.publisher] = worker == nil && publisher == nil ? nil : .string(publisher ?? "")
    }
}
