import APNSOutput
import Testing

@Suite struct PoolSizingTests {
    private static func load(
        waiting: Bool = true, open: Int = 1, connecting: Bool = false, saturated: Bool = true, answer: Double = 100
    ) -> PoolSizing.Load {
        PoolSizing.Load(
            isWorkWaiting: waiting, openConnections: open, isConnecting: connecting, isSaturated: saturated,
            answerMilliseconds: answer)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let load: PoolSizing.Load
        let decision: PoolSizing.Decision
    }

    @Test(arguments: [
        Row(testDescription: "no work", load: load(waiting: false, open: 0), decision: .stay),
        Row(testDescription: "work and no connection", load: load(open: 0), decision: .connect),
        Row(testDescription: "already connecting", load: load(open: 0, connecting: true), decision: .stay),
        Row(testDescription: "room left", load: load(saturated: false), decision: .stay),
        Row(testDescription: "full, answers fast", load: load(answer: 25), decision: .stay),
        Row(testDescription: "full, answers slow", load: load(answer: 25.1), decision: .lookAgain(milliseconds: 250)),
        Row(testDescription: "full, growing already", load: load(connecting: true), decision: .stay),
        Row(testDescription: "full, at most connections", load: load(open: 4), decision: .stay),
        Row(testDescription: "full, one below most", load: load(open: 3), decision: .lookAgain(milliseconds: 250)),
    ])
    func firstDecision(row: Row) {
        var sizing = PoolSizing(maximumConnections: 4)
        #expect(sizing.decide(row.load, nowMilliseconds: 1000) == row.decision)
    }

    @Test func growsAfterAQuarterSecondOfSaturation() {
        var sizing = PoolSizing(maximumConnections: 4)
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1000) == .lookAgain(milliseconds: 250))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1100) == .lookAgain(milliseconds: 150))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1249) == .lookAgain(milliseconds: 1))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1250) == .connect)
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1251) == .lookAgain(milliseconds: 250), "counts anew")
    }

    @Test(arguments: [load(waiting: false), load(connecting: true), load(saturated: false), load(answer: 1)])
    func aMomentOfReliefBeginsTheCountAnew(relief: PoolSizing.Load) {
        var sizing = PoolSizing(maximumConnections: 4)
        _ = sizing.decide(Self.load(), nowMilliseconds: 1000)
        #expect(sizing.decide(relief, nowMilliseconds: 1200) == .stay)
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1300) == .lookAgain(milliseconds: 250))
    }

    @Test(
        arguments: [(599_999, 2, false), (600_000, 2, true), (600_000, 1, false), (6_000_000, 1, false)]
            as [(Int64, Int, Bool)])
    func idleConnectionsGoButTheLast(idle: Int64, open: Int, closes: Bool) {
        let sizing = PoolSizing(maximumConnections: 4)
        #expect(sizing.shouldClose(idleMilliseconds: idle, openConnections: open) == closes)
    }
}
