import HTTP2Pool
import Testing

@Suite struct PoolSizingTests {
    /// Returns a load. The default is one full connection with 100 streams, a round trip of 100 ms and 100 waiting
    /// requests.
    private static func load(
        waiting: Int = 100, inFlight: Int = 100, established: Int = 1, ramping: Int = 0, replacements: Int = 0,
        answer: Double = 0, roundTrip: Double = 100
    ) -> PoolSizing.Load {
        PoolSizing.Load(
            waiting: waiting, inFlight: inFlight, established: established, ramping: ramping,
            replacements: replacements, answerMilliseconds: answer, roundTripMilliseconds: roundTrip)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let load: PoolSizing.Load
        let decision: PoolSizing.Decision

        init(_ description: String, _ load: PoolSizing.Load, _ decision: PoolSizing.Decision) {
            testDescription = description
            self.load = load
            self.decision = decision
        }
    }

    @Test(arguments: [
        Row("no work", load(waiting: 0, established: 0), .stay),
        Row("work and no connection", load(established: 0), .connect(1)),
        Row("work and no connection, round trip of 0", load(established: 0, roundTrip: 0), .connect(1)),
        Row("much work and no connection", load(waiting: 9_999, inFlight: 0, established: 0), .connect(1)),
        Row("already connecting", load(established: 0, ramping: 1), .stay),
        Row("full, short round trip", load(roundTrip: 5), .stay),
        Row("full, long round trip", load(roundTrip: 5.1), .lookAgain(milliseconds: 250)),
        Row("full, short round trip, one stream", load(inFlight: 1, roundTrip: 0), .lookAgain(milliseconds: 250)),
        Row(
            "full, short round trip, seven streams each", load(inFlight: 14, established: 2, roundTrip: 0),
            .lookAgain(milliseconds: 250)),
        Row("full, short round trip, eight streams each", load(inFlight: 16, established: 2, roundTrip: 0), .stay),
        Row("full, fast answers", load(answer: 25, roundTrip: 0), .stay),
        Row("full, slow answers", load(answer: 25.1, roundTrip: 0), .lookAgain(milliseconds: 250)),
        Row("full, long round trip, but our own work longer", load(inFlight: 10_000), .stay),
        Row("full, round trip longer than our own work", load(inFlight: 9_999), .lookAgain(milliseconds: 250)),
        Row("full, already growing", load(ramping: 1), .stay),
        Row("full, maximum of connections", load(established: 8), .stay),
        Row("full, maximum with one connection growing", load(waiting: 9_999, established: 7, ramping: 1), .stay),
        Row("full, one below maximum", load(established: 7), .lookAgain(milliseconds: 250)),
        Row("one replacement", load(replacements: 1, roundTrip: 0), .connect(1)),
        Row("several replacements, little work", load(established: 5, replacements: 3), .connect(1)),
        Row("several replacements, much work", load(waiting: 999, established: 5, replacements: 3), .connect(3)),
        Row("all replaced, much work", load(waiting: 999, established: 0, replacements: 8), .connect(8)),
        Row("more replacements than maximum", load(waiting: 999, established: 6, replacements: 8), .connect(2)),
        Row("one replacement, already growing", load(ramping: 1, replacements: 1), .stay),
        Row("one replacement, no work", load(waiting: 0, replacements: 1), .stay),
    ])
    func decidesOnFirstLook(row: Row) {
        var sizing = PoolSizing(maximumConnections: 8)
        #expect(sizing.decide(row.load, nowMilliseconds: 1000) == row.decision)
    }

    @Test(arguments: [
        Row("little work", load(waiting: 400, established: 3), .connect(1)),
        Row("much work", load(waiting: 401, established: 3), .connect(3)),
        Row("much work, some growing", load(waiting: 401, established: 3, ramping: 1), .connect(2)),
        Row("much work, near maximum", load(waiting: 401, established: 6), .connect(2)),
        Row("much work, nothing in flight", load(waiting: 1, inFlight: 0, established: 2), .connect(2)),
        Row("one request each, as many waiting", load(waiting: 4, inFlight: 4, established: 4), .connect(4)),
        Row("one request each, few waiting", load(waiting: 2, inFlight: 4, established: 4), .connect(2)),
        Row("one request each, some growing", load(waiting: 4, inFlight: 4, established: 4, ramping: 3), .connect(1)),
    ])
    func growsWithNumberOfWaitingRequests(row: Row) {
        var sizing = PoolSizing(maximumConnections: 8)
        #expect(sizing.decide(row.load, nowMilliseconds: 1000) == .lookAgain(milliseconds: 250))
        #expect(sizing.decide(row.load, nowMilliseconds: 1250) == row.decision)
    }

    @Test func growsAfterQuarterSecondOfSaturation() {
        var sizing = PoolSizing(maximumConnections: 4)
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1000) == .lookAgain(milliseconds: 250))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1100) == .lookAgain(milliseconds: 150))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1249) == .lookAgain(milliseconds: 1))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1250) == .connect(1))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1251) == .lookAgain(milliseconds: 250), "starts again")
    }

    @Test(arguments: [load(waiting: 0), load(ramping: 1), load(roundTrip: 1), load(established: 4)])
    func restartsSaturationTimerAfterRelief(relief: PoolSizing.Load) {
        var sizing = PoolSizing(maximumConnections: 4)
        _ = sizing.decide(Self.load(), nowMilliseconds: 1000)
        #expect(sizing.decide(relief, nowMilliseconds: 1200) == .stay)
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1300) == .lookAgain(milliseconds: 250))
    }
}
