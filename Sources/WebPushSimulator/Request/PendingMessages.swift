internal import Foundations

/// A record of the topics of pending messages. It detects messages that replace an earlier message with the same topic.
/// In the simulator, messages stay pending until the record is full and is cleared.
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
