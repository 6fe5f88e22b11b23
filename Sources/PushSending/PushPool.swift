package import HTTP2Pool
package import NIOCore
import PushModel

/// A pool of connections with the pushes that wait for them: what other threads see of a ``PushDesk`` and its
/// ``ConnectionPool``, which live on one event loop.
// why: unchecked for that reason; only `send` and what hands over to the event loop are called from elsewhere.
package final class PushPool: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let desk: PushDesk
    private let pool: ConnectionPool
    private let closed: @Sendable () -> Void

    /// - Parameter closed: called once all connections are closed for good.
    package init(_ pool: ConnectionPool, _ desk: PushDesk, closed: @escaping @Sendable () -> Void = {}) {
        eventLoop = pool.eventLoop
        self.pool = pool
        self.desk = desk
        self.closed = closed
    }

    package func wake() { eventLoop.execute { self.pool.scheduleTurn() } }

    package func send(_ job: QueuedJob) {
        if desk.handIn(job) { wake() }
    }

    /// Pushes that are not on the wire fail, and so do those that come back from it.
    package func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        eventLoop.execute {
            let isMeant = { (job: RoutedJob) in isCancelled(job.job.id) }
            self.desk.cancel(isMeant, now: self.pool.time())
            self.pool.cancel { self.desk.isOnWire($0, of: isMeant) }
        }
    }

    /// Returns the pushes that are not on the wire.
    package func stopSending() {
        eventLoop.execute {
            self.desk.stop()
            self.pool.scheduleTurn()
        }
    }

    /// Closes its connections at once; what is on the wire is lost.
    package func giveUp() { eventLoop.execute { self.pool.abandon() } }

    /// Takes no more jobs; closes its connections once their last answers have come.
    ///
    /// - Parameter time: what is still queued then is returned, to be routed anew; nil: it is sent.
    package func retire(returningAfter time: TimeAmount? = nil) -> EventLoopFuture<Void> {
        let closed = eventLoop.makePromise(of: Void.self)
        closed.futureResult.whenComplete { _ in
            self.closed()
            self.desk.end(now: self.pool.time())
        }
        eventLoop.execute { self.pool.retire(closed: closed) }
        if let time {
            eventLoop.scheduleTask(in: time) { self.desk.returnAll(now: self.pool.time()) }
        }
        return closed.futureResult
    }
}
