import Addressing
import HTTP2Pool
import HTTP2Session
import Logging
import NIOCore
import PushModel

/// All connections of one credential to one environment, and the pushes that wait for them: what other threads see of
/// ``APNSPushes`` and its ``ConnectionPool``, which live on one event loop.
// why: unchecked for that reason; only `send` and what hands over to the event loop are called from elsewhere.
final class APNSPool: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let pushes: APNSPushes
    private let pool: ConnectionPool
    private let tokens: ProviderTokenSource?

    init(
        credential: Credential, environment: PushEnvironment, endpoint: Endpoint, tokens: ProviderTokenSource?,
        eventLoop: any EventLoop, configuration: APNSConfiguration, clock: @escaping @Sendable () -> Timestamp,
        refusals: @escaping @Sendable (Refusal.Event) -> Void, logger: Logger
    ) throws {
        self.eventLoop = eventLoop
        self.tokens = tokens
        let subject = Refusal.Subject(credential: credential.id, environment: environment, topic: nil)
        var logger = logger
        logger[metadataKey: "credential"] = "\(credential.id)"
        logger[metadataKey: "team"] = "\(credential.account)"
        logger[metadataKey: "environment"] = "\(environment.rawValue)"
        pushes = APNSPushes(
            health: PoolHealth(of: subject, configuration: configuration, refusals: refusals, logger: logger),
            badTokens: BadTokenBoard(of: subject, refusals: refusals, logger: logger), tokens: tokens, clock: clock)
        let authority = endpoint.authority
        let fixed = try HTTP2Fields.apns(authority: authority)
        pool = try ConnectionPool(
            configuration.pool(to: endpoint, with: credential), client: pushes, eventLoop: eventLoop, logger: logger
        ) {
            guard let tokens else { return FixedAuthorization(fixed) }
            return ProviderTokenAuthorization(from: tokens, authority: authority)
        }
        tokens?.addObserver(ObjectIdentifier(self)) { [weak self] in self?.wake() }
    }

    private func wake() { eventLoop.execute { self.pool.scheduleTurn() } }

    func send(_ job: PreparedJob) {
        if pushes.handIn(job) { wake() }
    }

    /// Pushes that are not on the wire fail, and so do those that come back from it.
    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        eventLoop.execute {
            let isMeant = { (job: PreparedJob) in isCancelled(job.routed.job.id) }
            self.pushes.cancel(isMeant, now: self.pool.time())
            self.pool.cancel { self.pushes.isOnWire($0, of: isMeant) }
        }
    }

    /// Returns the pushes that are not on the wire.
    func stopSending() {
        eventLoop.execute {
            self.pushes.stop()
            self.pool.scheduleTurn()
        }
    }

    /// Takes no more jobs; closes its connections once their last answers have come.
    ///
    /// - Parameter time: what is still queued then is returned, to be routed anew; nil: it is sent.
    func retire(returningAfter time: TimeAmount? = nil) -> EventLoopFuture<Void> {
        let closed = eventLoop.makePromise(of: Void.self)
        closed.futureResult.whenComplete { _ in
            self.tokens?.removeObserver(ObjectIdentifier(self))
            self.pushes.end(now: self.pool.time())
        }
        eventLoop.execute { self.pool.retire(closed: closed) }
        if let time {
            eventLoop.scheduleTask(in: time) { self.pushes.returnAll(now: self.pool.time()) }
        }
        return closed.futureResult
    }
}
