/// Decides when to send a heartbeat and when the peer counts as dead (AMQP 0-9-1, section 4.2.7).
///
/// The library's own heartbeats are switched off once it has agreed on them with the broker: in 0.11 a publish that
/// comes after the receive deadline waits for incoming data without any limit, so a dead peer would hold the thread.
package struct HeartbeatTimer: Sendable {
    package enum Action: Sendable, Hashable {
        case nothing, send, peerIsDead
    }

    private let interval: Duration
    private var lastSent: ContinuousClock.Instant
    private var lastReceived: ContinuousClock.Instant

    /// - Parameter interval: as agreed with the broker; above zero.
    package init(interval: Duration, now: ContinuousClock.Instant) {
        self.interval = interval
        lastSent = now
        lastReceived = now
    }

    package mutating func sent(at now: ContinuousClock.Instant) { lastSent = now }
    package mutating func received(at now: ContinuousClock.Instant) { lastReceived = now }

    /// Any data counts as a sign of life; silence for two intervals is death.
    package func action(at now: ContinuousClock.Instant) -> Action {
        if now - lastReceived >= interval * 2 { return .peerIsDead }
        return now - lastSent >= interval / 2 ? .send : .nothing
    }

    /// When ``action(at:)`` may next say something new.
    package var nextDeadline: ContinuousClock.Instant {
        min(lastSent + interval / 2, lastReceived + interval * 2)
    }
}
