package import NIOCore
import Foundations

/// A list of the open connections, oldest first. If there are too many, it closes the oldest connection without a
/// request, or the oldest connection if all have a request. New clients therefore always get an answer.
package final class OpenConnections: Sendable {
    private struct Connection {
        let channel: any Channel
        var hasRequest = false
    }

    private let most: Int
    private let connections = Mutex<[Connection]>([])

    package init(most: Int) {
        self.most = most
    }

    package func opened(_ channel: any Channel) {
        let surplus = connections.withLock { connections -> (any Channel)? in
            connections.append(Connection(channel: channel))
            guard connections.count > most else { return nil }
            let place = connections.dropLast().firstIndex { !$0.hasRequest } ?? 0
            return connections.remove(at: place).channel
        }
        surplus?.close(promise: nil)
    }

    package func gotRequest(_ channel: any Channel) {
        connections.withLock { connections in
            guard let place = connections.firstIndex(where: { $0.channel === channel }) else { return }
            connections[place].hasRequest = true
        }
    }

    package func closed(_ channel: any Channel) {
        connections.withLock { $0.removeAll { $0.channel === channel } }
    }
}
