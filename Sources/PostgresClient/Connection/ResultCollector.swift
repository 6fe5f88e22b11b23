/// Puts a request's results together from the sequence that `PQgetResult` gives
/// (libpq manual, "Retrieving Query Results in Other Forms" and "Pipeline Mode").
package struct ResultCollector<Value> {
    package enum Event {
        case result(Value)
        case refused(PostgresError)
        /// A batch's statement that was skipped after another was refused.
        case skipped
        /// `PQgetResult` gave NULL: a statement's results are complete.
        case statementEnded
        /// The end of a batch.
        case synchronised
    }

    package enum Action {
        case readOn
        case finish(Result<[Value], PostgresError>)
    }

    private let isBatch: Bool
    private let preambles: Int
    /// Negative for a preamble.
    private var statementIndex: Int
    private var results: [Value] = []
    private var failure: PostgresError?

    /// - Parameter hasPreamble: a statement goes before, whose result nobody wants.
    package init(isBatch: Bool, hasPreamble: Bool = false) {
        self.isBatch = isBatch
        preambles = hasPreamble ? 1 : 0
        statementIndex = -preambles
    }

    /// Sent in libpq's pipeline mode.
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
