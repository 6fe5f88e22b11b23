import HTTP2Pool
import Testing

@Suite struct PoolPlanTests {
    private static func connections(
        inFlight: Int = 0, established: Int = 0, ramping: Int = 0, roundTrip: Double? = nil, awaiting: Bool = false
    ) -> PoolConnections {
        var connections = PoolConnections()
        connections.inFlight = inFlight
        connections.established = established
        connections.ramping = ramping
        connections.roundTripMilliseconds = roundTrip
        connections.isAwaitingAuthorization = awaiting
        return connections
    }

    @Test func decidesWhenToConnect() {
        let far = Self.connections(inFlight: 100, established: 1, roundTrip: 150)
        let near = Self.connections(inFlight: 100, established: 1, roundTrip: 0.2)
        let awaiting = Self.connections(established: 1, awaiting: true)
        var plan = PoolPlan(maximumConnections: 2)
        #expect(plan.decide(Self.connections(), waiting: 0, nowMilliseconds: 0) == .stay, "no request waits")
        #expect(plan.decide(awaiting, waiting: 9, nowMilliseconds: 0) == .stay, "another connection would wait as well")
        #expect(plan.decide(Self.connections(), waiting: 1, nowMilliseconds: 0) == .connect(1), "no connection is open")
        #expect(plan.decide(Self.connections(ramping: 1), waiting: 1, nowMilliseconds: 0) == .stay, "connecting")
        #expect(plan.decide(near, waiting: 9, nowMilliseconds: 0) == .stay, "the round trip is short")
        #expect(plan.decide(far, waiting: 9, nowMilliseconds: 0) == .lookAgain(milliseconds: 250))
        #expect(plan.decide(far, waiting: 9, nowMilliseconds: 250) == .connect(1))
        let full = Self.connections(inFlight: 200, established: 2, roundTrip: 150)
        #expect(plan.decide(full, waiting: 9, nowMilliseconds: 900) == .stay, "the pool has its maximum of connections")
    }

    @Test func backsOffAfterFailureButNotForReplacement() {
        var plan = PoolPlan(maximumConnections: 4)
        plan.failed(nowMilliseconds: 0, random: 0.999_999)
        guard case .lookAgain(let wait) = plan.decide(Self.connections(), waiting: 1, nowMilliseconds: 0) else {
            Issue.record("expected a back-off after a failure")
            return
        }
        #expect((900...1000).contains(wait))
        #expect(plan.wait(nowMilliseconds: 0) == wait)
        plan.mustReplace()
        #expect(plan.decide(Self.connections(), waiting: 1, nowMilliseconds: 0) == .connect(1))
        plan.connecting(1, nowMilliseconds: 0)
        #expect(plan.decide(Self.connections(), waiting: 1, nowMilliseconds: 0) == .lookAgain(milliseconds: wait))
        plan.succeeded()
        #expect(plan.decide(Self.connections(), waiting: 1, nowMilliseconds: 0) == .connect(1))
    }

    @Test(
        arguments: [(599_999, 2, false), (600_000, 2, true), (600_000, 1, false), (6_000_000, 1, false)]
            as [(Int64, Int, Bool)])
    func closesIdleConnectionsExceptLast(idle: Int64, open: Int, closes: Bool) {
        let plan = PoolPlan(maximumConnections: 4)
        #expect(plan.closes(idleMilliseconds: idle, openConnections: open) == closes)
        let sharing = PoolPlan(maximumConnections: 4, keepsLast: false)
        #expect(sharing.closes(idleMilliseconds: idle, openConnections: open) == (idle >= 600_000))
    }
}
