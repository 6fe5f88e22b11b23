import Synchronization

/// Keeps requests for tests to look at. Off unless asked for: it costs memory and time.
final class Recorder: Sendable {
    private struct State {
        var requests: [RecordedRequest] = []
        var arrivals: [String: Int] = [:]
        var accepted: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let isOn = Atomic(false)
    /// Requests kept; tokens are counted beyond that.
    static let mostRequests = 10_000

    var isRecording: Bool {
        get { isOn.load(ordering: .relaxed) }
        set { isOn.store(newValue, ordering: .relaxed) }
    }

    /// Called when the request is there, whatever becomes of it: its connection may be lost before the answer.
    func arrived(at token: String) {
        state.withLock { $0.arrivals[token, default: 0] += 1 }
    }

    /// Called when GOAWAY says of a request without an answer that it was not processed.
    func disowned(at token: String) {
        state.withLock {
            guard let count = $0.arrivals[token] else { return }
            $0.arrivals[token] = count > 1 ? count - 1 : nil
        }
    }

    /// Called when it is known what was answered, or that nothing will be.
    func record(_ request: RecordedRequest) {
        state.withLock {
            if request.status == 200 { $0.accepted[request.token, default: 0] += 1 }
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

    var acceptedByToken: [String: Int] {
        state.withLock { $0.accepted }
    }

    func reset() {
        state.withLock { $0 = State() }
    }
}
