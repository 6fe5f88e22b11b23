import Threading

/// A batch of publications whose caller waits until the broker has answered all of them.
final class AwaitedBatch: Sendable {
    private struct State {
        var remaining: Int
        var failure: AMQPError?
    }

    private let state: Mutex<State>
    private let completion: @Sendable (AMQPError?) -> Void

    /// Creates a batch.
    ///
    /// - Parameter completion: a function that is called once, with the first failure or `nil`.
    init(count: Int, completion: @escaping @Sendable (AMQPError?) -> Void) {
        state = Mutex(State(remaining: count))
        self.completion = completion
    }

    /// Records the verdict of one publication.
    func settled(_ failure: AMQPError?) {
        let (isComplete, failure) = state.withLock { state in
            guard state.remaining > 0 else { return (false, nil as AMQPError?) }
            state.failure = state.failure ?? failure
            state.remaining -= 1
            return (state.remaining == 0, state.failure)
        }
        if isComplete { completion(failure) }
    }

    /// Ends the batch with an error, because the remaining publications will get no verdict.
    func fail(_ error: AMQPError) {
        let wasOpen = state.withLock { state in
            defer { state.remaining = 0 }
            return state.remaining > 0
        }
        if wasOpen { completion(error) }
    }
}
