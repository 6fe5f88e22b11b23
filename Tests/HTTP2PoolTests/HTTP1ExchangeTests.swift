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

    @Test func acceptsRequestOnlyAfterCompleteReusableExchange() {
        #expect(answered().takesRequests)
        #expect(!answered(keepsAlive: false).takesRequests, "the server closes the connection")
        #expect(!answered(status: 101).takesRequests, "the connection has switched to another protocol")
        #expect(!answered(written: false).takesRequests, "the rest of the request is still unsent")
    }

    @Test func countsRequestAsSentOnlyAfterFlush() {
        var exchange = HTTP1Exchange()
        #expect(exchange.begin(tag: 7) == 1)
        #expect(!exchange.hasLeft)
        exchange.flushed()
        #expect(exchange.hasLeft)
        exchange.answerEnded()
        #expect(exchange.begin(tag: 8) == 2)
        #expect(!exchange.hasLeft)
    }

    /// The write of the first request completes after the second request has begun.
    @Test func ignoresLateWriteOfEarlierRequest() {
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
    func limitsIdleTimeToKeepAliveOfServer(seconds: Int64?, milliseconds: Int64) {
        #expect(answered(idleSeconds: seconds).idleMilliseconds == milliseconds)
    }
}
