import AMQPClient
package import PushModel
import Store
import Foundations

/// The state of a running outcome ledger. The consumer's thread and the ledger's tasks update it, and the HTTP server
/// reads it.
package final class LedgerMonitor: Sendable {
    /// The budget for the events in the inbox, in bytes. The last event that is received may exceed it.
    private static let bytes = 32 << 20
    /// The maximum number of events to decode in search of the oldest outcome. Malformed events have no time and are
    /// skipped.
    private static let decodedEvents = 8

    let inbox = LedgerInbox(AMQPByteBudget(limit: bytes))
    private let state: Mutex<LedgerProgress>

    /// Creates a monitor.
    ///
    /// - Parameter now: the time at which the ledger starts.
    package init(now: Timestamp) { state = Mutex(LedgerProgress(startedAt: now)) }

    package var progress: LedgerProgress { state.withLock { $0 } }

    package func update(_ change: (inout LedgerProgress) -> Void) { state.withLock { change(&$0) } }

    /// The number of events that the ledger has received and not yet stored.
    package var eventsHeld: Int { inbox.count }

    /// Returns the lag of the ledger behind the workers, in milliseconds. See ``LedgerProgress/lag(oldest:at:)``.
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
        }
    }
}
