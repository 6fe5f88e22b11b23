import HTTP2Pool
import Testing

@Suite struct PoolSizingTests {
    /// By default one connection with 100 streams, full, 100 ms away, and little more to do.
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
        Row("work and no connection, whatever the way", load(established: 0, roundTrip: 0), .connect(1)),
        Row("much work and no connection", load(waiting: 9_999, inFlight: 0, established: 0), .connect(1)),
        Row("already connecting", load(established: 0, ramping: 1), .stay),
        Row("full, way short", load(roundTrip: 5), .stay),
        Row("full, way long", load(roundTrip: 5.1), .lookAgain(milliseconds: 250)),
        Row("full, way short, one stream", load(inFlight: 1, roundTrip: 0), .lookAgain(milliseconds: 250)),
        Row(
            "full, way short, seven each", load(inFlight: 14, established: 2, roundTrip: 0),
            .lookAgain(milliseconds: 250)),
        Row("full, way short, eight each", load(inFlight: 16, established: 2, roundTrip: 0), .stay),
        Row("full, answers fast", load(answer: 25, roundTrip: 0), .stay),
        Row("full, answers slow", load(answer: 25.1, roundTrip: 0), .lookAgain(milliseconds: 250)),
        Row("full, way long, but our own work longer", load(inFlight: 10_000), .stay),
        Row("full, way longer than our own work", load(inFlight: 9_999), .lookAgain(milliseconds: 250)),
        Row("full, growing already", load(ramping: 1), .stay),
        Row("full, at most connections", load(established: 8), .stay),
        Row("full, at most with one growing", load(waiting: 9_999, established: 7, ramping: 1), .stay),
        Row("full, one below most", load(established: 7), .lookAgain(milliseconds: 250)),
        Row("one to be replaced", load(replacements: 1, roundTrip: 0), .connect(1)),
        Row("several to be replaced, little work", load(established: 5, replacements: 3), .connect(1)),
        Row("several to be replaced, much work", load(waiting: 999, established: 5, replacements: 3), .connect(3)),
        Row("all to be replaced, much work", load(waiting: 999, established: 0, replacements: 8), .connect(8)),
        Row("more to be replaced than there may be", load(waiting: 999, established: 6, replacements: 8), .connect(2)),
        Row("one to be replaced, growing already", load(ramping: 1, replacements: 1), .stay),
        Row("one to be replaced, no work", load(waiting: 0, replacements: 1), .stay),
    ])
    func firstDecision(row: Row) {
        var sizing = PoolSizing(maximumConnections: 8)
        #expect(sizing.decide(row.load, nowMilliseconds: 1000) == row.decision)
    }

    @Test(arguments: [
        Row("little work", load(waiting: 400, established: 3), .connect(1)),
        Row("much work", load(waiting: 401, established: 3), .connect(3)),
        Row("much work, some growing", load(waiting: 401, established: 3, ramping: 1), .connect(2)),
        Row("much work, at most", load(waiting: 401, established: 6), .connect(2)),
        Row("much work, nothing in flight", load(waiting: 1, inFlight: 0, established: 2), .connect(2)),
        Row("one request each, as many wait", load(waiting: 4, inFlight: 4, established: 4), .connect(4)),
        Row("one request each, few wait", load(waiting: 2, inFlight: 4, established: 4), .connect(2)),
        Row("one request each, some growing", load(waiting: 4, inFlight: 4, established: 4, ramping: 3), .connect(1)),
    ])
    func growsByThePressure(row: Row) {
        var sizing = PoolSizing(maximumConnections: 8)
        #expect(sizing.decide(row.load, nowMilliseconds: 1000) == .lookAgain(milliseconds: 250))
        #expect(sizing.decide(row.load, nowMilliseconds: 1250) == row.decision)
    }

    @Test func growsAfterAQuarterSecondOfSaturation() {
        var sizing = PoolSizing(maximumConnections: 4)
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1000) == .lookAgain(milliseconds: 250))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1100) == .lookAgain(milliseconds: 150))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1249) == .lookAgain(milliseconds: 1))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1250) == .connect(1))
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1251) == .lookAgain(milliseconds: 250), "counts anew")
    }

    @Test(arguments: [load(waiting: 0), load(ramping: 1), load(roundTrip: 1), load(established: 4)])
    func aMomentOfReliefBeginsTheCountAnew(relief: PoolSizing.Load) {
        var sizing = PoolSizing(maximumConnections: 4)
        _ = sizing.decide(Self.load(), nowMilliseconds: 1000)
        #expect(sizing.decide(relief, nowMilliseconds: 1200) == .stay)
        #expect(sizing.decide(Self.load(), nowMilliseconds: 1300) == .lookAgain(milliseconds: 250))
    }
}
