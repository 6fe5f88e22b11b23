package import HTTP2Pool
package import NIOCore
import PushModel

/// A pool of connections with its waiting pushes, as used by other threads. Its ``PushDesk`` and its ``ConnectionPool``
/// live on one event loop.
// why: unchecked because other threads call only `send` and methods that switch to the event loop.
package final class PushPool: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let desk: PushDesk
    private let pool: ConnectionPool
    private let closed: @Sendable () -> Void

    /// - Parameter closed: Called when all connections are closed for good.
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

    /// Cancels jobs. Their pushes fail, except those on the wire, which fail if they come back.
    package func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        eventLoop.execute {
            let isMeant = { (job: RoutedJob) in isCancelled(job.job.id) }
            self.desk.cancel(isMeant, now: self.pool.time())
            self.pool.cancel { self.desk.isOnWire($0, of: isMeant) }
        }
    }

    /// Stops sending. Pushes that are not on the wire are returned.
    package func stopSending() {
        eventLoop.execute {
            self.desk.stop()
            self.pool.scheduleTurn()
        }
    }

    /// Closes all connections at once. Pushes on the wire are lost.
    package func giveUp() { eventLoop.execute { self.pool.abandon() } }

    /// Retires the pool, which must get no more jobs. Its connections close after their last answers.
    ///
    /// - Parameter time: The time after which queued pushes are returned to be routed again, or `nil` to send all of
    ///   them.
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
