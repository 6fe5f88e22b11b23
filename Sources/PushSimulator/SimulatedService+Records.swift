/// The counters and recordings of requests.
extension SimulatedService {
    /// Returns the counters since the simulator was created or last ``reset()``.
    public func counters() async -> SimulatorCounters {
        await server.counters()
    }

    /// Whether requests are recorded in ``recordedRequests``. At most 10,000 requests are kept.
    public var isRecording: Bool {
        get { server.recorder.isRecording }
        set { server.recorder.isRecording = newValue }
    }

    /// The requests that arrived while the simulator was recording. The oldest one is first.
    public var recordedRequests: [RecordedRequest] {
        server.recorder.requests
    }

    /// The number of complete requests for each token while the simulator was recording, regardless of their results.
    /// Requests whose connection was lost before the answer are included. Requests that REFUSED_STREAM or GOAWAY
    /// declared as unprocessed are excluded.
    public var recordedArrivals: [String: Int] {
        server.recorder.arrivalsByToken
    }

    /// The number of accepted requests for each token while the simulator was recording.
    public var recordedAcceptances: [String: Int] {
        server.recorder.acceptedByToken
    }

    /// Reports every request to an observer from now on, instead of recording it. The observer is called on the thread
    /// of the request's connection.
    package func observe(_ observer: @escaping @Sendable (_ token: String, _ sighting: RequestSighting) -> Void) {
        server.recorder.observe(observer)
    }

    /// Sets all counters to zero. Clears chosen answers, faults, recordings, and the service's own counters and planned
    /// faults. Restores the stream limit for new connections. Registered keys and open connections stay.
    public func reset() async {
        answers.change { $0 = AnswerPlan() }
        double.reset()
        await server.reset()
    }
}
