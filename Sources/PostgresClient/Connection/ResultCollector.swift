/// A collector that assembles the results of a request from the calls of `PQgetResult` (libpq manual, "Asynchronous
/// Command Processing" and "Pipeline Mode").
package struct ResultCollector<Value> {
    package enum Event {
        case result(Value)
        case refused(PostgresError)
        /// A statement of a batch was skipped because an earlier one was refused.
        case skipped
        /// `PQgetResult` returned NULL, so the results of a statement are complete.
        case statementEnded
        /// All statements of the pipeline have ended.
        case synchronised
    }

    package enum Action {
        case readOn
        case finish(Result<[Value], PostgresError>)
    }

    private let isBatch: Bool
    private let preambles: Int
    /// The index of the current statement in the batch. It is negative for a preamble.
    private var statementIndex: Int
    private var results: [Value] = []
    private var failure: PostgresError?

    /// Creates a collector.
    ///
    /// - Parameter hasPreamble: whether the first statement is a preamble, whose result is dropped.
    package init(isBatch: Bool, hasPreamble: Bool = false) {
        self.isBatch = isBatch
        preambles = hasPreamble ? 1 : 0
        statementIndex = -preambles
    }

    /// Whether the request is sent in libpq's pipeline mode.
    private var isPipelined: Bool { isBatch || preambles > 0 }

    package mutating func received(_ event: Event) -> Action {
        switch event {
        case .result(let result):
            results.append(result)
        case .refused(var error):
            if isBatch, statementIndex >= 0 { error.statementIndex = statementIndex }
            failure = failure ?? error
        case .skipped:
            break
        case .statementEnded:
            guard isPipelined else { return finish() }
            statementIndex += 1
        case .synchronised:
            return finish()
        }
        return .readOn
    }

    private func finish() -> Action {
        .finish(failure.map { .failure($0) } ?? .success(Array(results.dropFirst(preambles))))
    }
}
