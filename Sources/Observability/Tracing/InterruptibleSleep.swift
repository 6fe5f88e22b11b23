import Foundations

/// A sleep that another task can end. After ``end()``, all later sleeps return immediately.
final class InterruptibleSleep: Sendable {
    private struct State {
        var isOver = false
        var sleeper: Task<Void, Never>?
    }

    private let state = Mutex(State())

    var isOver: Bool { state.withLock { $0.isOver } }

    func sleep(_ time: Duration) async {
        let sleeper = Task<Void, Never> { try? await Task.sleep(for: time) }
        state.withLock { state in
            state.sleeper = sleeper
            if state.isOver { sleeper.cancel() }
        }
        await sleeper.value
    }

    func end() {
        state.withLock { state in
            state.isOver = true
            state.sleeper?.cancel()
        }
    }
}
