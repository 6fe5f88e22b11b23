import Foundations
package import NIOCore

/// A list of the open connections, oldest first. If there are too many, it closes the one whose client loses least, so
/// that new clients always get an answer.
package final class OpenConnections: Sendable {
    /// The state of a connection. If there are too many connections, the oldest one in the first state of this list is
    /// closed.
    package enum Stage: Sendable, CaseIterable {
        case answered
        case receivesBody
        case waitsForRequest
        case waitsForAnswer
    }

    private struct Connection {
        let channel: any Channel
        var stage = Stage.waitsForRequest
    }

    private struct State {
        var connections: [Connection] = []
        /// Whether new connections are closed at once.
        var hasEnded = false

        /// Removes the connection to close, except for the newest one.
        mutating func removeSurplus() -> (any Channel)? {
            for stage in Stage.allCases {
                guard let place = connections.dropLast().firstIndex(where: { $0.stage == stage }) else { continue }
                return connections.remove(at: place).channel
            }
            return nil
        }
    }

    private let most: Int
    private let state = Mutex(State())

    package init(most: Int) {
        self.most = most
    }

    package func opened(_ channel: any Channel) {
        let surplus = state.withLock { state -> (any Channel)? in
            guard !state.hasEnded else { return channel }
            state.connections.append(Connection(channel: channel))
            return state.connections.count > most ? state.removeSurplus() : nil
        }
        surplus?.close(promise: nil)
    }

    package func reached(_ stage: Stage, _ channel: any Channel) {
        state.withLock { state in
            guard let place = state.connections.firstIndex(where: { $0.channel === channel }) else { return }
            state.connections[place].stage = stage
        }
    }

    package func closed(_ channel: any Channel) {
        state.withLock { $0.connections.removeAll { $0.channel === channel } }
    }

    /// Closes all connections: those without a complete request at once, the others after their answer or after a time.
    package func end(within patience: TimeAmount) async {
        let open = state.withLock { state in
            state.hasEnded = true
            return state.connections
        }
        for connection in open {
            let channel = connection.channel
            switch connection.stage {
            case .waitsForRequest, .receivesBody: channel.close(promise: nil)
            case .waitsForAnswer, .answered:
                let deadline = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
                channel.closeFuture.whenComplete { _ in deadline.cancel() }
            }
        }
        for connection in open { try? await connection.channel.closeFuture.get() }
    }
}
