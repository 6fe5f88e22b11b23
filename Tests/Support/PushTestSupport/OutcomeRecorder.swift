package import PushModel
import Foundations

/// A sink that records the reported outcomes.
package final class OutcomeRecorder: OutcomeSink {
    private struct State {
        var batches: [[Outcome]] = []
        var count = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var batches: [[Outcome]] { state.withLock(\.batches) }
    package var outcomes: [Outcome] { batches.flatMap { $0 } }

    package func report(_ outcomes: [Outcome]) {
        let ready = state.withLock { state in
            state.batches.append(outcomes)
            state.count += outcomes.count
            let ready = state.waiters.filter { $0.count <= state.count }
            state.waiters.removeAll { $0.count <= state.count }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until the given number of outcomes is reported. The time limit only ends a hang.
    package func wait(for count: Int) async {
        let deadline = Task {
            try await Task.sleep(for: .seconds(600))
            let late = state.withLock { state in
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in late { waiter.continuation.resume() }
        }
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.count < count { state.waiters.append((count, continuation)) }
                return state.count >= count
            }
            if isReady { continuation.resume() }
        }
        deadline.cancel()
    }
}
