import PostgresClient
import Store
import Testing

@Suite struct ReadTimeoutTests {
    @Test func growsWithReadingTimeAndTimeouts() {
        var patience = ReadTimeout()
        #expect(patience.timeout == .seconds(30))
        patience.failed(PostgresError(.connectionLost, "gone"))
        #expect(patience.timeout == .seconds(30), "a lost connection must not extend the limit")
        patience.failed(PostgresError(.timedOut, "late"))
        #expect(patience.timeout == .seconds(60))
        patience.succeeded(after: .seconds(45))
        #expect(patience.timeout == .seconds(90))
        patience.succeeded(after: .seconds(1))
        #expect(patience.timeout == .seconds(30))
        for _ in 0..<10 { patience.failed(PostgresError(.timedOut, "late")) }
        #expect(patience.timeout == .seconds(600))
        #expect(ReadTimeout(first: ReadTimeout.longest).timeout == .seconds(600))
    }
}
