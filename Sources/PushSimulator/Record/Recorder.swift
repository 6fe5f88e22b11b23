internal import Threading

/// Keeps requests for tests to look at. Off unless asked for: it costs memory and time.
final class Recorder: Sendable {
    typealias Observer = @Sendable (_ token: String, _ sighting: RequestSighting) -> Void

    private struct State {
        var requests: [RecordedRequest] = []
        var arrivals: [String: Int] = [:]
        var accepted: [String: Int] = [:]
        var observer: Observer?
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
        if observed(token, .arrived) { return }
        state.withLock { $0.arrivals[token, default: 0] += 1 }
    }

    /// Called when GOAWAY says of a request without an answer that it was not processed.
    func disowned(at token: String) {
        if observed(token, .disowned) { return }
        state.withLock {
            guard let count = $0.arrivals[token] else { return }
            $0.arrivals[token] = count > 1 ? count - 1 : nil
        }
    }

    /// Called when it is known what was answered, or that nothing will be.
    func record(_ request: RecordedRequest, isAccepted: Bool) {
        let sighting = request.status.map { RequestSighting.answered(status: $0) } ?? .unanswered
        if observed(request.token, sighting) { return }
        state.withLock {
            if isAccepted { $0.accepted[request.token, default: 0] += 1 }
            if $0.requests.count < Self.mostRequests {
                $0.requests.append(request)
            }
        }
    }

    /// Told of everything in place of its being kept, so that a run of hours keeps nothing here.
    func observe(_ observer: @escaping Observer) {
        state.withLock { $0.observer = observer }
        isRecording = true
    }

    private func observed(_ token: String, _ sighting: RequestSighting) -> Bool {
        guard let observer = state.withLock({ $0.observer }) else { return false }
        observer(token, sighting)
        return true
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
