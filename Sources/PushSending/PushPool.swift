package import HTTP2Pool
package import NIOCore
import PushModel

/// A thread-safe handle for a connection pool and its pushes. The ``PushDispatcher`` and the `ConnectionPool` are used
/// only on one event loop.
// why: unchecked because other threads call only `send` and methods that switch to the event loop.
package final class PushPool<Job: QueuedJob>: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let dispatcher: CredentialDispatcher
    private let pool: ConnectionPool
    private let closed: @Sendable () -> Void

    /// Creates a handle.
    ///
    /// - Parameter closed: A function that is called when all connections are closed after a retirement.
    package init(
        _ pool: ConnectionPool, _ dispatcher: CredentialDispatcher, closed: @escaping @Sendable () -> Void = {}
    ) {
        eventLoop = pool.eventLoop
        self.pool = pool
        self.dispatcher = dispatcher
        self.closed = closed
    }

    package func wake() { eventLoop.execute { self.pool.scheduleTurn() } }

    package func send(_ job: Job) {
        if dispatcher.handIn(job) { wake() }
    }

    /// Cancels jobs. Their waiting pushes fail. Pushes on the wire fail only if they would have to be sent again.
    package func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        eventLoop.execute {
            let isMeant = { (job: RoutedJob) in isCancelled(job.job.id) }
            self.dispatcher.cancel(isMeant, now: self.pool.time())
            self.pool.cancel { self.dispatcher.isOnWire($0, of: isMeant) }
        }
    }

    /// Stops sending. Pushes that are not on the wire are settled with the verdict `returned`.
    package func stopSending() {
        eventLoop.execute {
            self.dispatcher.stop()
            self.pool.scheduleTurn()
        }
    }

    /// Closes all connections at once. Pushes on the wire are lost.
    package func giveUp() { eventLoop.execute { self.pool.abandon() } }

    /// Retires the pool, which must get no more jobs. Its connections close after their last answers.
    ///
    /// - Parameter time: The time after which queued pushes are returned and routed again, or `nil` to send all of
    ///   them.
    package func retire(returningAfter time: TimeAmount? = nil) -> EventLoopFuture<Void> {
        let closed = eventLoop.makePromise(of: Void.self)
        closed.futureResult.whenComplete { _ in
            self.closed()
            self.dispatcher.end(now: self.pool.time())
        }
        eventLoop.execute { self.pool.retire(closed: closed) }
        if let time {
            eventLoop.scheduleTask(in: time) { self.dispatcher.returnAll(now: self.pool.time()) }
        }
        return closed.futureResult
    }
}
