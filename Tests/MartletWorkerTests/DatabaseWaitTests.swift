import Logging
import MartletWorker
import PostgresClient
import TestSupport
import Testing

@Suite struct DatabaseWaitTests {
    private struct Stopped: Error {}

    @Test func growsWaitTo30Seconds() async throws {
        var (attempts, waits, reported) = (0, [Duration](), [String]())
        let value = try await DatabaseWait.untilThere(
            random: { 1 }, sleep: { waits.append($0) }, report: { error, wait in reported.append("\(error) \(wait)") }
        ) {
            attempts += 1
            if attempts < 9 { throw PostgresError(.connectFailed, "away") }
            return "there"
        }
        #expect(value == "there")
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
        #expect(reported == waits.map { "away \($0)" })
    }

    /// A failure that needs an operator is logged as an error. A failure that may end by itself is logged as a warning.
    @Test func logsRejectedLoginAsError() {
        for (state, level) in [("28P01", "error"), ("28000", "error"), ("57P03", "warning"), (nil, "warning")] {
            let log = LogRecorder()
            var error = PostgresError(.connectFailed, "away")
            error.sqlState = state
            error.logWaiting(.seconds(1), log.logger("test"))
            #expect(error.isRetriable && log.text.contains(level), "\(state ?? "-"): \(log.text)")
        }
    }

    @Test func stopsWaitingOnPermanentErrorOrShutdown() async throws {
        var waits = 0
        await #expect(throws: PostgresError(.configuration, "wrong")) {
            try await DatabaseWait.untilThere(sleep: { _ in waits += 1 }, report: { _, _ in }) {
                throw PostgresError(.configuration, "wrong")
            }
        }
        #expect(waits == 0)
        await #expect(throws: Stopped.self) {
            try await DatabaseWait.untilThere(sleep: { _ in throw Stopped() }, report: { _, _ in }) {
                throw PostgresError(.connectFailed, "away")
            }
        }
    }
}
