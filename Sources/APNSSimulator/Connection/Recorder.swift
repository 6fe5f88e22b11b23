import Synchronization

/// Keeps requests for tests to look at. Off unless asked for: it costs memory and time.
final class Recorder: Sendable {
    private struct State {
        var requests: [RecordedRequest] = []
        var arrivals: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let isOn = Atomic(false)
    /// Requests kept; arrivals per token are counted beyond that.
    static let mostRequests = 10_000

    var isRecording: Bool {
        get { isOn.load(ordering: .relaxed) }
        set { isOn.store(newValue, ordering: .relaxed) }
    }

    func record(_ request: RecordedRequest) {
        state.withLock {
            $0.arrivals[request.token, default: 0] += 1
            if $0.requests.count < Self.mostRequests {
                $0.requests.append(request)
            }
        }
    }

    var requests: [RecordedRequest] {
        state.withLock { $0.requests }
    }

    var arrivalsByToken: [String: Int] {
        state.withLock { $0.arrivals }
    }

    func reset() {
        state.withLock { $0 = State() }
    }
}
