import Foundations
package import NIOCore

/// A list of the open connections, oldest first. If there are too many, it closes the one whose client loses least, so
/// that it never turns a new client away:
///
/// 1. the oldest connection that has been answered
/// 2. the oldest connection that waits for its client, unless it has just been opened. Probes have just been opened.
/// 3. the oldest connection
package final class OpenConnections: Sendable {
    package enum Stage: Sendable {
        case waitsForRequest
        case receivesBody
        case waitsForAnswer
        case sends
        case answered
    }

    /// The time during which a client may delay its request or the response without being closed before others.
    private static let grace = TimeAmount.milliseconds(250)

    private struct Connection {
        let channel: any Channel
        let openedAt: NIODeadline
        var stage = Stage.waitsForRequest

        func waitsForClient(since time: NIODeadline) -> Bool { stage != .waitsForAnswer && openedAt <= time }
    }

    private struct State {
        var connections: [Connection] = []
        /// Whether new connections are closed at once.
        var hasEnded = false

        /// Removes and returns the connection to close.
        mutating func removeSurplus(now: NIODeadline) -> any Channel {
            let place =
                connections.firstIndex { $0.stage == .answered }
                ?? connections.firstIndex { $0.waitsForClient(since: now - OpenConnections.grace) } ?? 0
            return connections.remove(at: place).channel
        }
    }

    private let most: Int
    private let state = Mutex(State())

    package init(most: Int) {
        self.most = most
    }

    package func opened(_ channel: any Channel, at now: NIODeadline = .now()) {
        let surplus = state.withLock { state -> (any Channel)? in
            guard !state.hasEnded else { return channel }
            state.connections.append(Connection(channel: channel, openedAt: now))
            return state.connections.count > most ? state.removeSurplus(now: now) : nil
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
            case .waitsForAnswer, .sends, .answered:
                let deadline = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
                channel.closeFuture.whenComplete { _ in deadline.cancel() }
            }
        }
        for connection in open { try? await connection.channel.closeFuture.get() }
    }
}
