import HTTP2Pool
import Testing

@Suite struct HTTP1ExchangeTests {
    private func answered(
        status: Int = 200, keepsAlive: Bool = true, idleSeconds: Int64? = nil, written: Bool = true
    ) -> HTTP1Exchange {
        var exchange = HTTP1Exchange()
        let number = exchange.begin(tag: 7)
        exchange.flushed()
        if written { exchange.written(number) }
        exchange.answerBegan(status: status, keepsAlive: keepsAlive, idleSeconds: idleSeconds)
        exchange.answerEnded()
        return exchange
    }

    @Test func afterAnAnswerThereMayBeAnotherRequest() {
        #expect(answered().takesRequests)
        #expect(!answered(keepsAlive: false).takesRequests, "the server closes")
        #expect(!answered(status: 101).takesRequests, "it speaks something else now")
        #expect(!answered(written: false).takesRequests, "the rest of the request is in the way")
    }

    @Test func nothingHasLeftBeforeItIsFlushed() {
        var exchange = HTTP1Exchange()
        #expect(exchange.begin(tag: 7) == 1)
        #expect(!exchange.hasLeft)
        exchange.flushed()
        #expect(exchange.hasLeft)
        exchange.answerEnded()
        #expect(exchange.begin(tag: 8) == 2)
        #expect(!exchange.hasLeft)
    }

    /// What the first has written comes late.
    @Test func oneIsNotWrittenByAnother() {
        var exchange = HTTP1Exchange()
        let first = exchange.begin(tag: 7)
        _ = exchange.begin(tag: 8)
        exchange.written(first)
        exchange.answerEnded()
        #expect(!exchange.takesRequests)
    }

    @Test(
        arguments: [(nil, 3_000), (0, 0), (2, 0), (3, 1_000), (60, 58_000), (.max, 3_598_000), (-1, 0), (.min, 0)]
            as [(Int64?, Int64)])
    func theServersWordOnIdleConnectionsIsKept(seconds: Int64?, milliseconds: Int64) {
        #expect(answered(idleSeconds: seconds).idleMilliseconds == milliseconds)
    }
}
