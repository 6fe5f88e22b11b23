import Foundations
package import NIOCore

/// A list of the open connections, oldest first. If there are too many, it closes the oldest one that has been
/// answered, or else the oldest one, so that it never turns a new client away.
package final class OpenConnections: Sendable {
    package enum Stage: Sendable {
        case waitsForRequest
        case receivesBody
        case waitsForAnswer
        case answered
    }

    private struct Connection {
        let channel: any Channel
        var stage = Stage.waitsForRequest
    }

    private struct State {
        var connections: [Connection] = []
        /// Whether new connections are closed at once.
        var hasEnded = false

        /// Removes and returns the connection to close.
        ///
        /// Connections without a complete request are not preferred. One of them may be a probe that has just
        /// connected, while clients that flood the server wait for their answers.
        mutating func removeSurplus() -> any Channel {
            connections.remove(at: connections.firstIndex { $0.stage == .answered } ?? 0).channel
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

    /// Closes all connections: those without a complete request at once, the others after their answer, but at the
    /// latest after `patience`.
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
