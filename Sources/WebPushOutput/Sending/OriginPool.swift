import Foundations
import HTTP2Pool
import HTTP2Session
import Logging
import NIOCore
import PushModel
import PushSending

/// The connections from one event loop to one origin, and the messages that wait for them. Used only on that event
/// loop.
final class OriginPool {
    let origin: Endpoint
    let pushes: OriginPushes
    /// The uptime of the last call of ``send(_:tokens:)``, in milliseconds.
    private(set) var lastUsed: Int64 = 0
    /// The indices of the recipients at this origin, for the job that is being distributed at present.
    private var recipients: [UInt32] = []
    private let pool: ConnectionPool
    private let eventLoop: any EventLoop

    init(
        to origin: Endpoint, pushes: OriginPushes, configuration: PoolConfiguration, eventLoop: any EventLoop,
        logger: Logger
    ) throws {
        self.origin = origin
        self.pushes = pushes
        self.eventLoop = eventLoop
        let fields = try HTTP2Fields(HTTP2Fields.messageFields(to: origin.authority))
        pool = try ConnectionPool(configuration, client: pushes, eventLoop: eventLoop, logger: logger) {
            FixedAuthorization(fields)
        }
    }

    /// Adds a recipient of the job that is being distributed to origins.
    ///
    /// - Returns: whether it is the job's first recipient at this origin.
    func gather(_ recipient: Int) -> Bool {
        recipients.append(UInt32(recipient))
        return recipients.count == 1
    }

    /// Returns whether the origin can be removed: no message waits or is on the wire, no connection is open, and
    /// nothing is held back.
    ///
    /// - Parameters:
    ///   - idle: the minimum time since the last job was sent to this origin, in milliseconds.
    ///   - braked: the minimum time since a breaker or a pause last held something back, in milliseconds.
    func isUnused(for idle: Int64, orBraked braked: Int64, at now: Int64) -> Bool {
        recipients.isEmpty && pushes.isIdle && !pool.hasConnections && now - lastUsed >= idle
            && !pushes.health.holdsAny(nowMilliseconds: now - braked)
    }

    /// Sends the job to the recipients that ``gather(_:)`` collected.
    func send(_ job: WebPushJob, tokens: AppTokens) {
        lastUsed = pool.time()
        let key = pushes.health.key(of: job.identity.credential.id, app: job.routed.job.app)
        pushes.take(OriginJob(job, recipients: recipients, key: key, tokens: tokens), now: lastUsed)
        recipients = []
        pool.scheduleTurn()
    }

    func cancel(_ isMeant: (RoutedJob) -> Bool) {
        pushes.cancel(isMeant, now: pool.time())
        pool.cancel { pushes.isOnWire($0, of: isMeant) }
    }

    func stopSending() {
        pushes.stop()
        pool.scheduleTurn()
    }

    func retire(_ isMeant: (Credential.ID) -> Bool) {
        pushes.retire(isMeant, now: pool.time())
    }

    func giveUp() { pool.abandon() }

    /// Closes the connections once their last answers have arrived.
    func close() -> EventLoopFuture<Void> {
        let closed = eventLoop.makePromise(of: Void.self)
        pool.retire(closed: closed)
        let health = NIOLoopBound(pushes.health, eventLoop: eventLoop)
        return closed.futureResult.always { _ in health.value.forget() }
    }
}
