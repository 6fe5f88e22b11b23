import Foundations
import NIOCore

/// A list of the open connections, oldest first. If there are too many, it closes the oldest connection without a
/// request, or the oldest connection if all have a request. New clients therefore always get an answer.
final class OpenConnections: Sendable {
    private struct Connection {
        let channel: any Channel
        var hasRequest = false
    }

    private struct State {
        var connections: [Connection] = []
        /// Whether new connections are closed at once.
        var hasEnded = false
    }

    private let most: Int
    private let state = Mutex(State())

    init(most: Int) {
        self.most = most
    }

    func opened(_ channel: any Channel) {
        let surplus = state.withLock { state -> (any Channel)? in
            guard !state.hasEnded else { return channel }
            state.connections.append(Connection(channel: channel))
            guard state.connections.count > most else { return nil }
            let place = state.connections.dropLast().firstIndex { !$0.hasRequest } ?? 0
            return state.connections.remove(at: place).channel
        }
        surplus?.close(promise: nil)
    }

    func gotRequest(_ channel: any Channel) {
        state.withLock { state in
            guard let place = state.connections.firstIndex(where: { $0.channel === channel }) else { return }
            state.connections[place].hasRequest = true
        }
    }

    func closed(_ channel: any Channel) {
        state.withLock { $0.connections.removeAll { $0.channel === channel } }
    }

    /// Closes all connections: those without a request at once, the others after their answer or after a time.
    func end(within patience: TimeAmount) async {
        let open = state.withLock { state in
            state.hasEnded = true
            return state.connections
        }
        for connection in open {
            let channel = connection.channel
            guard connection.hasRequest else {
                channel.close(promise: nil)
                continue
            }
            let deadline = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in deadline.cancel() }
        }
        for connection in open { try? await connection.channel.closeFuture.get() }
    }
}
