import AMQPClient
package import PushModel
import Store
import Threading

/// The state of a running outcome ledger. The consumer's thread and the ledger's tasks change it, and the HTTP server
/// reads it.
package final class LedgerMonitor: Sendable {
    /// The maximum size of the events that wait here, in bytes.
    private static let bytes = 32 << 20
    /// The maximum number of events that are decoded to find the age of the oldest one. Malformed events are skipped,
    /// because they have no time.
    private static let decodedEvents = 8

    let inbox = LedgerInbox(AMQPByteBudget(limit: bytes))
    private let state: Mutex<LedgerProgress>

    /// Creates a monitor.
    ///
    /// - Parameter now: the time of the start.
    package init(now: Timestamp) { state = Mutex(LedgerProgress(startedAt: now)) }

    package var progress: LedgerProgress { state.withLock { $0 } }

    package func update(_ change: (inout LedgerProgress) -> Void) { state.withLock { change(&$0) } }

    /// The number of events that were delivered and are not stored yet.
    package var eventsHeld: Int { inbox.count }

    /// Returns how far the ledger is behind, in milliseconds.
    package func lag(at now: Timestamp) -> Int {
        let oldest = inbox.oldest(Self.decodedEvents).lazy.compactMap { LedgerEvent.time(of: $0.body) }.first
        return progress.lag(oldest: oldest, at: now)
    }

    func hear(_ event: AMQPConsumerEvent) {
        switch event {
        case .deliveries(let deliveries): inbox.add(deliveries)
        case .connected: update { $0.connected() }
        case .disconnected(let error):
            inbox.drop()
            update { $0.disconnected("\(error)", at: .now) }
        case .stopped, .closed: update { $0.disconnected(nil, at: .now) }
        case .declaredAgain, .missing: break
        }
    }
}
