/// What has happened.
extension PushSimulator {
    /// What has happened since the start or the last ``reset()``.
    public func counters() async -> SimulatorCounters {
        await server.counters()
    }

    /// True: requests are kept for ``recordedRequests``, at most 10,000.
    public var isRecording: Bool {
        get { server.recorder.isRecording }
        set { server.recorder.isRecording = newValue }
    }

    /// The requests that came in while recording, oldest first.
    public var recordedRequests: [RecordedRequest] {
        server.recorder.requests
    }

    /// How many requests came in whole for each token while recording, whatever became of them: those
    /// whose connection was lost before the answer are among them, those said to be unprocessed, by REFUSED_STREAM or
    /// GOAWAY, are not.
    public var recordedArrivals: [String: Int] {
        server.recorder.arrivalsByToken
    }

    /// How many requests were accepted for each token while recording.
    public var recordedAcceptances: [String: Int] {
        server.recorder.acceptedByToken
    }

    /// Tells the observer of every request to a token from now on, on the thread of its connection, in place of
    /// recording it.
    package func observe(_ observer: @escaping @Sendable (_ token: String, _ sighting: RequestSighting) -> Void) {
        server.recorder.observe(observer)
    }

    /// Sets counters to zero and forgets chosen answers, faults, recordings and stream limits, and what the service's
    /// own rules have counted or were to do wrong. Registered keys and open connections stay.
    public func reset() async {
        answers.change { $0 = AnswerPlan() }
        double.reset()
        await server.reset()
    }
}
