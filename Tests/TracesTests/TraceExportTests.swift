import PushModel
import Testing
import Traces

@Suite struct TraceExportTests {
    private func span(_ number: UInt64) throws -> Span {
        let trace = try #require(TraceID(high: 1, low: number))
        let id = try #require(SpanID(number))
        return Span(
            "\(number)", .internal, TraceContext(trace: trace, span: id, isSampled: true), parent: nil, state: nil,
            from: Timestamp(seconds: 1), to: Timestamp(seconds: 2))
    }

    @Test(
        arguments: [
            (.status(200), .sent(rejected: 0)), (.status(204), .sent(rejected: 0)),
            (.status(200, rejected: 3), .sent(rejected: 3)),
            (.status(429), .wait(.seconds(1))), (.status(429, retryAfter: 7), .wait(.seconds(7))),
            (.status(502), .wait(.seconds(1))), (.status(503, retryAfter: 1), .wait(.seconds(1))),
            (.status(504), .wait(.seconds(1))), (.none, .wait(.seconds(1))),
            (.status(400), .refused), (.status(401), .refused), (.status(404), .refused), (.status(415), .refused),
            (.status(500), .refused), (.status(501), .refused), (.status(302), .refused), (.status(505), .refused),
        ] as [(TraceExport.Answer, TraceExport.Decision)])
    func decidesByCollectorsAnswer(answer: TraceExport.Answer, decision: TraceExport.Decision) {
        var export = TraceExport()
        #expect(export.decide(answer, random: 1) == decision)
    }

    @Test func increasesWaitsUntilBatchIsDropped() {
        var export = TraceExport()
        var waits: [TraceExport.Decision] = []
        for _ in 0..<9 { waits.append(export.decide(.status(503), random: 1)) }
        let seconds: [Duration] = [1, 2, 4, 8, 16, 32, 60].map { .seconds($0) }
        #expect(waits == seconds.map { .wait($0) } + [.giveUp(.seconds(60)), .wait(.seconds(60))])
        #expect(export.isFailing)
        #expect(export.decide(.status(200), random: 1) == .sent(rejected: 0) && !export.isFailing)
        #expect(export.decide(.none, random: 1) == .wait(.seconds(1)))
        #expect(export.decide(.none, random: 0) == .wait(.seconds(1)), "half of the 2 s wait must be jitter")
    }

    @Test func keepsNewestSpansWhenFull() throws {
        var queue = SpanQueue()
        try queue.add((1...2_000).map(span))
        try queue.add((2_001...2_050).map(span))
        #expect(queue.count == 2_048 && queue.dropped == 2)
        let first = queue.take(512)
        #expect(first.count == 512 && first.first?.name == "3")
        #expect(queue.take(5_000).last?.name == "2050")
        #expect(queue.take(1).isEmpty && queue.dropped == 2)
        try queue.add((1...10_000).map(span))
        #expect(queue.count == 2_048 && queue.dropped == 2 + 10_000 - 2_048)
    }
}
