/// A timer that decides when to send a heartbeat and when the peer counts as dead (AMQP 0-9-1, section 4.2.7).
///
/// The heartbeats of rabbitmq-c are switched off after the log-in, which negotiates the interval with the broker. In
/// rabbitmq-c 0.11, a publish after the receive deadline waits for incoming data without a time limit, so a dead peer
/// would block the thread.
package struct HeartbeatTimer: Sendable {
    package enum Action: Sendable, Hashable {
        case nothing, send, peerIsDead
    }

    private let interval: Duration
    private var lastSent: ContinuousClock.Instant
    private var lastReceived: ContinuousClock.Instant

    /// Creates a timer.
    ///
    /// - Parameter interval: the interval that was agreed with the broker, above zero.
    package init(interval: Duration, now: ContinuousClock.Instant) {
        self.interval = interval
        lastSent = now
        lastReceived = now
    }

    package mutating func sent(at now: ContinuousClock.Instant) { lastSent = now }
    package mutating func received(at now: ContinuousClock.Instant) { lastReceived = now }

    /// Returns the action that is due. Any data counts as a sign of life, and a peer that is silent for two intervals
    /// counts as dead.
    package func action(at now: ContinuousClock.Instant) -> Action {
        if now - lastReceived >= interval * 2 { return .peerIsDead }
        return now - lastSent >= interval / 2 ? .send : .nothing
    }

    /// The earliest time at which ``action(at:)`` returns `send` or `peerIsDead`, if nothing is sent or received
    /// before then.
    package var nextDeadline: ContinuousClock.Instant {
        min(lastSent + interval / 2, lastReceived + interval * 2)
    }
}
