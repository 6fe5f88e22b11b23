import Foundations

/// A limiter for the number of tests that have an installation at the same time. More tests would only wait for each
/// other.
final class InstallationLimiter: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    static let shared = InstallationLimiter(places: 12)

    private let state: Mutex<State>

    private init(places: Int) {
        state = Mutex(State(free: places))
    }

    func enter() async {
        await withCheckedContinuation { continuation in
            let mayEnter = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if mayEnter { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
