import Foundations

/// A batch of publications whose caller waits until each of them has a result: a confirm, a refusal or a return.
final class AwaitedBatch: Sendable {
    private struct State {
        var remaining: Int
        var failure: AMQPError?
    }

    private let state: Mutex<State>
    private let completion: @Sendable (AMQPError?) -> Void

    /// Creates a batch.
    ///
    /// - Parameter completion: a function that is called once, with the first failure, or with `nil` if all
    ///   publications were confirmed.
    init(count: Int, completion: @escaping @Sendable (AMQPError?) -> Void) {
        state = Mutex(State(remaining: count))
        self.completion = completion
    }

    /// Records the result of one publication.
    ///
    /// - Parameter failure: the refusal or return, or `nil` if the broker confirmed the publication.
    func settled(_ failure: AMQPError?) {
        let (isComplete, failure) = state.withLock { state in
            guard state.remaining > 0 else { return (false, nil as AMQPError?) }
            state.failure = state.failure ?? failure
            state.remaining -= 1
            return (state.remaining == 0, state.failure)
        }
        if isComplete { completion(failure) }
    }

    /// Ends the batch with an error, because its remaining publications will get no result.
    func fail(_ error: AMQPError) {
        let wasOpen = state.withLock { state in
            defer { state.remaining = 0 }
            return state.remaining > 0
        }
        if wasOpen { completion(error) }
    }
}
