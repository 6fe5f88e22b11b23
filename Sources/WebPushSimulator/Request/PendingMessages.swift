internal import Threading

/// Tells messages that replace another of the same topic, as long as that waits for its browser: here, for ever.
final class PendingMessages: Sendable {
    private let topics = Mutex(Set<String>())
    private static let mostRemembered = 100_000

    func replaces(_ endpoint: String, _ topic: String) -> Bool {
        topics.withLock {
            if $0.count >= Self.mostRemembered { $0 = [] }
            return !$0.insert("\(topic) \(endpoint)").inserted
        }
    }

    func reset() {
        topics.withLock { $0 = [] }
    }
}
