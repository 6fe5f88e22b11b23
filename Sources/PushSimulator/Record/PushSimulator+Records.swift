/// Counters and recordings of requests.
extension PushSimulator {
    /// Returns the counters since the start or the last ``reset()``.
    public func counters() async -> SimulatorCounters {
        await server.counters()
    }

    /// Whether requests are kept for ``recordedRequests``, at most 10,000.
    public var isRecording: Bool {
        get { server.recorder.isRecording }
        set { server.recorder.isRecording = newValue }
    }

    /// The requests that arrived while recording, oldest first.
    public var recordedRequests: [RecordedRequest] {
        server.recorder.requests
    }

    /// The number of complete requests for each token while recording, regardless of their outcome. Requests whose
    /// connection was lost before the answer are included. Requests declared unprocessed by REFUSED_STREAM or GOAWAY
    /// are not.
    public var recordedArrivals: [String: Int] {
        server.recorder.arrivalsByToken
    }

    /// The number of accepted requests for each token while recording.
    public var recordedAcceptances: [String: Int] {
        server.recorder.acceptedByToken
    }

    /// Reports every request to the observer from now on, in place of recording it. The observer is called on the
    /// thread of the request's connection.
    package func observe(_ observer: @escaping @Sendable (_ token: String, _ sighting: RequestSighting) -> Void) {
        server.recorder.observe(observer)
    }

    /// Sets counters to zero and clears chosen answers, faults, recordings and stream limits. Also clears the counts
    /// and planned faults of the service's own rules. Registered keys and open connections stay.
    public func reset() async {
        answers.change { $0 = AnswerPlan() }
        double.reset()
        await server.reset()
    }
}
