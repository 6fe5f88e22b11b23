package import Logging
package import PostgresClient
import Foundations

/// A listener that signals its observers when database tables change. All observers share one connection.
package final class ChangeListener: Sendable {
    private struct Observer {
        let tables: Set<String>
        let signal: AsyncStream<Void>.Continuation
    }

    private struct State {
        var observers: [Int: Observer] = [:]
        var lastObserver = 0
    }

    /// The listener for notifications, or `nil` if the connection does not support them. Without it, observers are
    /// signalled only at their intervals.
    private let listener: PostgresListener?
    private let state = Mutex(State())

    /// Creates a listener.
    /// - Parameter listens: whether to listen for notifications. Must be `false` if they do not get through, as with a
    ///   pooler in transaction mode.
    package init(_ configuration: PostgresConfiguration, listens: Bool = true, logger: Logger) {
        listener =
            listens
            ? PostgresListener(channels: ["martlet_changed"], configuration: configuration, logger: logger) : nil
    }

    /// Returns a stream of signals. The first signal comes immediately. Further signals follow after changes to the
    /// given tables, whenever notifications may have been lost, and after every `interval`. The stream buffers one
    /// signal, so several quick changes cause only one signal. It ends when the task that reads it is cancelled.
    package func signals(of tables: Set<String>, atLeastEvery interval: Duration) -> AsyncStream<Void> {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = Observer(tables: tables, signal: signal)
            return state.lastObserver
        }
        let timer = Task {
            while (try? await Task.sleep(for: interval)) != nil { signal.yield() }
        }
        signal.onTermination = { [weak self] _ in
            timer.cancel()
            _ = self?.state.withLock { $0.observers.removeValue(forKey: id) }
        }
        signal.yield()
        return signals
    }

    /// Receives notifications and signals the observers until the task is cancelled.
    package func run() async {
        guard let listener else {
            while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
            return
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await listener.run() }
            for await event in listener.events {
                switch event {
                case .disconnected: continue
                case .connected, .reconnected: notify { _ in true }
                case .notification(let notification): notify { $0.contains(notification.payload) }
                }
            }
        }
    }

    private func notify(_ isMeant: (Set<String>) -> Bool) {
        let signals = state.withLock { $0.observers.values.filter { isMeant($0.tables) }.map(\.signal) }
        for signal in signals { signal.yield() }
    }
}
