import PostgresClient
import Testing

@Suite struct PoolStateTests {
    private let now = ContinuousClock.now
    private let refused = PostgresError(.connectFailed, "connection refused")

    @Test func opensOnDemandAndReusesConnections() {
        var pool = PoolState(maximumConnections: 2, waitsForDatabase: false)
        #expect(pool.leaseRequested(1, now: now) == [.open(1)])
        #expect(pool.opened(1) == [.lease(1, to: 1)])
        #expect(pool.released(1, isReusable: true, now: now) == [])
        #expect(pool.leaseRequested(2, now: now) == [.lease(1, to: 2)])
    }

    @Test func limitsConnectionsAndServesInOrder() {
        var pool = PoolState(maximumConnections: 2, waitsForDatabase: false)
        #expect(pool.leaseRequested(1, now: now) == [.open(1)])
        #expect(pool.leaseRequested(2, now: now) == [.open(2)])
        #expect(pool.leaseRequested(3, now: now) == [])
        #expect(pool.leaseRequested(4, now: now) == [])
        #expect(pool.opened(2) == [.lease(2, to: 1)])
        #expect(pool.opened(1) == [.lease(1, to: 2)])
        #expect(pool.released(1, isReusable: true, now: now) == [.lease(1, to: 3)])
        #expect(pool.released(2, isReusable: true, now: now) == [.lease(2, to: 4)])
    }

    @Test func replacesBrokenConnectionForWaiter() {
        var pool = PoolState(maximumConnections: 1, waitsForDatabase: false)
        _ = pool.leaseRequested(1, now: now)
        _ = pool.opened(1)
        #expect(pool.leaseRequested(2, now: now) == [])
        #expect(pool.released(1, isReusable: false, now: now) == [.close(1), .open(2)])
        #expect(pool.opened(2) == [.lease(2, to: 2)])
    }

    @Test func removesEndedIdleConnection() {
        var pool = PoolState(maximumConnections: 1, waitsForDatabase: false)
        _ = pool.leaseRequested(1, now: now)
        _ = pool.opened(1)
        #expect(pool.ended(1) == [], "a leased connection is removed when it is released")
        _ = pool.released(1, isReusable: true, now: now)
        #expect(pool.ended(1) == [.close(1)])
        #expect(pool.leaseRequested(2, now: now) == [.open(2)])
    }

    @Test func failsFastDuringOutageAndRetriesLater() {
        var pool = PoolState(maximumConnections: 2, waitsForDatabase: false)
        _ = pool.leaseRequested(1, now: now)
        _ = pool.leaseRequested(2, now: now)
        #expect(pool.openFailed(1, refused, random: 1, now: now) == [], "another attempt is under way")
        #expect(pool.openFailed(2, refused, random: 1, now: now) == [.fail(1, refused), .fail(2, refused)])
        #expect(pool.leaseRequested(3, now: now + .milliseconds(99)) == [.fail(3, refused)])
        #expect(pool.leaseRequested(4, now: now + .milliseconds(100)) == [.open(3)])
        // The wait between attempts grows from 0.1 s to 0.2 s.
        #expect(pool.openFailed(3, refused, random: 1, now: now + .seconds(1)) == [.fail(4, refused)])
        #expect(pool.leaseRequested(5, now: now + .milliseconds(1199)) == [.fail(5, refused)])
        #expect(pool.leaseRequested(6, now: now + .milliseconds(1200)) == [.open(4)])
        #expect(pool.opened(4) == [.lease(4, to: 6)])
        #expect(pool.leaseRequested(7, now: now + .milliseconds(1200)) == [.open(5)], "the outage is over")
    }

    @Test func waiterGetsReleasedConnectionDuringOutage() {
        var pool = PoolState(maximumConnections: 2, waitsForDatabase: false)
        _ = pool.leaseRequested(1, now: now)
        _ = pool.opened(1)
        #expect(pool.leaseRequested(2, now: now) == [.open(2)])
        #expect(pool.openFailed(2, refused, random: 1, now: now) == [])
        #expect(pool.leaseRequested(3, now: now) == [])
        #expect(pool.released(1, isReusable: true, now: now) == [.lease(1, to: 2)])
        #expect(pool.released(1, isReusable: false, now: now) == [.close(1), .fail(3, refused)])
    }

    @Test func waitsForDatabaseIfConfigured() {
        var pool = PoolState(maximumConnections: 1, waitsForDatabase: true)
        #expect(pool.leaseRequested(1, now: now) == [.open(1)])
        #expect(pool.openFailed(1, refused, random: 1, now: now) == [.retry(after: .milliseconds(100))])
        #expect(pool.leaseRequested(2, now: now) == [])
        #expect(pool.retryDue(now: now + .milliseconds(100)) == [.open(2)])
        #expect(pool.openFailed(2, refused, random: 1, now: now + .seconds(1)) == [.retry(after: .milliseconds(200))])
        #expect(pool.waiterTimedOut(1) == [.fail(1, refused)], "the error must give the cause of the outage")
        #expect(pool.retryDue(now: now + .milliseconds(1200)) == [.open(3)])
        #expect(pool.opened(3) == [.lease(3, to: 2)])
    }

    @Test func waiterLeavesOnTimeoutOrCancellation() {
        var pool = PoolState(maximumConnections: 1, waitsForDatabase: false)
        _ = pool.leaseRequested(1, now: now)
        _ = pool.opened(1)
        _ = pool.leaseRequested(2, now: now)
        _ = pool.leaseRequested(3, now: now)
        guard case .fail(2, let error)? = pool.waiterTimedOut(2).first else {
            Issue.record("waiter 2 must fail")
            return
        }
        #expect(error.code == .poolExhausted)
        #expect(pool.waiterCancelled(3) == [.cancel(3)])
        #expect(pool.waiterTimedOut(1) == [], "waiter 1 has a connection")
        #expect(pool.released(1, isReusable: true, now: now) == [])
    }

    @Test func closeFailsWaitersAndClosesReleasedConnections() {
        var pool = PoolState(maximumConnections: 2, waitsForDatabase: false)
        _ = pool.leaseRequested(1, now: now)
        _ = pool.opened(1)
        _ = pool.leaseRequested(2, now: now)
        guard case .fail(2, let error)? = pool.closed().first else {
            Issue.record("waiter 2 must fail")
            return
        }
        #expect(error.code == .closed)
        #expect(pool.opened(2) == [.close(2)])
        #expect(pool.released(1, isReusable: true, now: now) == [.close(1)])
        guard case .fail(3, _)? = pool.leaseRequested(3, now: now).first else {
            Issue.record("a closed pool must reject requests")
            return
        }
    }
}
