package import AMQPClient

/// The broker user that published a job. An app may restrict which broker users may push to it.
extension AMQPProperties {
    /// Returns the user that published a job, as validated by the broker (rabbitmq.com, "Validated User-ID"). If a
    /// worker published the job again, the worker's header names the original publisher. Returns `nil` if the publisher
    /// is unknown.
    package func publisher(worker: String?) -> String? {
        guard let user = userID, !user.isEmpty else { return nil }
        guard user == worker else { return user }
        guard let named = headers[JobHeader.publisher]?.string else { return user }
        return named.isEmpty ? nil : named
    }

    /// Sets the user of a message to `worker`, and names the original publisher of its job in a header. The broker
    /// validates the user, so workers trust the header. For an unknown publisher, the header is empty, because the
    /// worker would otherwise count as the publisher. If `worker` is also `nil`, the header is removed.
    package mutating func sign(as worker: String?, for publisher: String?) {
        userID = worker
        headers[JobHeader.publisher] = worker == nil && publisher == nil ? nil : .string(publisher ?? "")
    }
}
