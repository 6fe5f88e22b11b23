internal import Foundations

/// A recorder that keeps requests for tests to inspect. It is off by default, because it costs memory and time.
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
    /// The maximum number of requests to keep. Further requests are still counted by token.
    static let mostRequests = 10_000

    var isRecording: Bool {
        get { isOn.load(ordering: .relaxed) }
        set { isOn.store(newValue, ordering: .relaxed) }
    }

    /// Counts a complete request, regardless of its result. Its connection may be lost before the answer.
    func arrived(at token: String) {
        if observed(token, .arrived) { return }
        state.withLock { $0.arrivals[token, default: 0] += 1 }
    }

    /// Removes an unanswered request from the count of arrivals, because a GOAWAY declares it as unprocessed.
    func disowned(at token: String) {
        if observed(token, .disowned) { return }
        state.withLock {
            guard let count = $0.arrivals[token] else { return }
            $0.arrivals[token] = count > 1 ? count - 1 : nil
        }
    }

    /// Keeps a request that was answered or that will never be answered.
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

    /// Reports all requests to an observer instead of keeping them. Memory use then stays constant, even in runs of
    /// several hours.
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
