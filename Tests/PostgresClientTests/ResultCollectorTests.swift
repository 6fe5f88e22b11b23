import PostgresClient
import Testing

@Suite struct ResultCollectorTests {
    private typealias Event = ResultCollector<Int>.Event

    private func outcome(
        isBatch: Bool, hasPreamble: Bool = false, _ events: [Event]
    ) -> Result<[Int], PostgresError>? {
        var collector = ResultCollector<Int>(isBatch: isBatch, hasPreamble: hasPreamble)
        for (index, event) in events.enumerated() {
            if case .finish(let result) = collector.received(event) {
                #expect(index == events.count - 1, "only the last event may finish the collection")
                return result
            }
        }
        return nil
    }

    @Test func finishesStatementAfterLastResult() throws {
        #expect(outcome(isBatch: false, [.result(1)]) == nil)
        #expect(outcome(isBatch: false, [.result(1), .statementEnded]) == .success([1]))
        #expect(outcome(isBatch: false, [.result(1), .result(2), .statementEnded]) == .success([1, 2]))
    }

    @Test func finishesBatchWhenSynchronised() {
        let events: [Event] = [.result(1), .statementEnded, .result(2), .statementEnded]
        #expect(outcome(isBatch: true, events) == nil)
        #expect(outcome(isBatch: true, events + [.synchronised]) == .success([1, 2]))
    }

    @Test func omitsResultOfPreamble() throws {
        let refusal = PostgresError(.server, "no")
        let begin: [Event] = [.result(0), .statementEnded]
        #expect(outcome(isBatch: false, hasPreamble: true, begin + [.result(1), .statementEnded]) == nil)
        #expect(
            outcome(isBatch: false, hasPreamble: true, begin + [.result(1), .statementEnded, .synchronised])
                == .success([1]))
        let single = outcome(
            isBatch: false, hasPreamble: true, begin + [.refused(refusal), .statementEnded, .synchronised])
        #expect(single == .failure(refusal))
        var named = refusal
        named.statementIndex = 0
        let batch = outcome(
            isBatch: true, hasPreamble: true, begin + [.refused(refusal), .statementEnded, .synchronised])
        #expect(batch == .failure(named))
        let first = outcome(
            isBatch: true, hasPreamble: true,
            [.refused(refusal), .statementEnded, .skipped, .statementEnded, .synchronised])
        #expect(first == .failure(refusal))
    }

    @Test func namesFailedStatementOfBatch() throws {
        let refusal = PostgresError(.server, "division by zero")
        let result = outcome(
            isBatch: true,
            [
                .result(1), .statementEnded, .refused(refusal), .statementEnded, .skipped, .statementEnded,
                .synchronised,
            ])
        var expected = refusal
        expected.statementIndex = 1
        #expect(result == .failure(expected))
    }

    @Test func reportsFirstFailure() {
        let (first, second) = (PostgresError(.server, "first"), PostgresError(.server, "second"))
        #expect(outcome(isBatch: false, [.refused(first), .refused(second), .statementEnded]) == .failure(first))
    }
}
