import OutcomeLedger
import PushModel
import Testing

@Suite struct LedgerProgressTests {
    private static let start = Timestamp(seconds: 1_795_168_800)

    private func after(_ seconds: Double) -> Timestamp {
        Timestamp(milliseconds: Self.start.milliseconds + Int64(seconds * 1_000))
    }

    /// The progress of a ledger that consumes and whose database accepts writes.
    private var ready: LedgerProgress {
        var progress = LedgerProgress(startedAt: Self.start)
        progress.begins()
        progress.connected()
        progress.statementBegan(at: after(0))
        progress.statementSucceeded()
        return progress
    }

    @Test func isNotReadyBeforeConsumingAndStoring() {
        var progress = LedgerProgress(startedAt: Self.start)
        #expect(progress.obstacle(at: after(1)) == "starting")
        progress.cannotBegin("no route")
        #expect(progress.obstacle(at: after(1)) == "waiting for the database: no route")
        progress.begins()
        #expect(progress.obstacle(at: after(1)) == "consuming: false, storing: false")
        progress.connected()
        #expect(progress.obstacle(at: after(1)) == "consuming: true, storing: false")
        progress.statementBegan(at: after(1))
        progress.statementSucceeded()
        #expect(progress.obstacle(at: after(1)) == nil)
        progress.cannotBegin("late")
        #expect(progress.obstacle(at: after(1)) == nil, "a ledger that has begun must stay ready")
    }

    @Test func namesBrokerOrDatabaseFailureInObstacle() {
        var progress = ready
        progress.statementFailed("read-only")
        #expect(progress.obstacle(at: after(1)) == "consuming: true, storing: false: read-only")
        progress.disconnected("refused", at: after(1))
        #expect(progress.obstacle(at: after(1)) == "consuming: false, storing: false: refused: read-only")
        progress.statementSucceeded()
        progress.disconnected(nil, at: after(2))
        #expect(progress.obstacle(at: after(2)) == "consuming: false, storing: true: refused")
        progress.connected()
        #expect(progress.obstacle(at: after(2)) == nil)
    }

    @Test func isNotReadyWhileStatementHangs() {
        var progress = ready
        progress.statementBegan(at: after(20))
        #expect(progress.obstacle(at: after(29)) == nil)
        #expect(
            progress.obstacle(at: after(31))
                == "consuming: true, storing: false: the database has not answered for 11 s")
        progress.statementSucceeded()
        #expect(progress.obstacle(at: after(40)) == nil)
    }

    @Test func measuresLagByOldestEventOrTimeWithoutConsuming() {
        var progress = LedgerProgress(startedAt: Self.start)
        #expect(progress.lag(oldest: nil, at: after(5)) == 5_000, "the lag must begin at the start")
        progress.connected()
        #expect(progress.lag(oldest: nil, at: after(5)) == 0)
        #expect(progress.lag(oldest: after(2), at: after(5)) == 3_000)
        #expect(progress.lag(oldest: after(7), at: after(5)) == 0, "an event from the future must not cause a lag")
        progress.disconnected("lost", at: after(10))
        progress.disconnected("refused", at: after(15))
        #expect(progress.lag(oldest: nil, at: after(20)) == 10_000)
        #expect(progress.lag(oldest: after(2), at: after(20)) == 18_000)
    }

    @Test func countsBatchesEventsAndOutcomes() {
        var progress = ready
        progress.batchFailed()
        progress.stored(LedgerProgress.Batch(events: 3, unusable: 1, outcomes: 500), at: after(9))
        progress.stored(LedgerProgress.Batch(events: 1), at: after(12))
        #expect(progress.eventsStored == 4 && progress.eventsUnusable == 1 && progress.outcomesStored == 500)
        #expect(progress.batchesStored == 2 && progress.batchesFailed == 1 && progress.lastBatchAt == after(12))
    }
}
