import Foundations
import HTTP2Pool
import Logging
import NIOCore
import PushModel
import PushSending

/// The part of the output that runs on one event loop. It has connections to every origin and encrypts the messages
/// that it sends, so that all cores share the work.
// why: unchecked because only its event loop uses it, except for the mailbox, which has a lock.
final class WebPushShard: @unchecked Sendable {
    /// A range of a job's recipients that this shard sends.
    private struct Share {
        let job: WebPushJob
        let recipients: Range<Int>
    }

    private let eventLoop: any EventLoop
    private let clock: @Sendable () -> Timestamp
    private let refusals: RefusalFilter
    private let logger: Logger
    private let retirementSeconds: Int64
    private let mailbox = Mutex<[Share]>([])
    private var origins: OriginTable
    private var counters: [Credential.ID: BadTokenCounter] = [:]
    private var outcomes = OutcomeBatch()
    private var ticker: RepeatedTask?
    private var isStopped = false

    init(
        on eventLoop: any EventLoop, configuration: WebPushConfiguration, sharing limit: SharedConnectionLimit,
        clock: @escaping @Sendable () -> Timestamp, refusals: RefusalFilter, logger: Logger
    ) {
        self.eventLoop = eventLoop
        self.clock = clock
        self.refusals = refusals
        self.logger = logger
        retirementSeconds = configuration.retirementSeconds
        let writer = MessageWriter()
        origins = OriginTable(maximum: configuration.maximumOrigins, hosts: configuration.hosts) { origin, rule in
            var logger = logger
            logger[metadataKey: "origin"] = "\(origin.authority)"
            let health = OriginHealth(
                of: origin.authority, configuration: configuration, refusals: refusals, logger: logger)
            return try OriginPool(
                to: origin, pushes: OriginPushes(to: origin, writer: writer, health: health, clock: clock),
                configuration: configuration.pool(to: origin, allowedBy: rule, sharing: limit), eventLoop: eventLoop,
                logger: logger)
        }
    }

    // MARK: From any thread

    func send(_ job: WebPushJob, recipients: Range<Int>) {
        let isFirst = mailbox.withLock { shares in
            shares.append(Share(job: job, recipients: recipients))
            return shares.count == 1
        }
        if isFirst { eventLoop.execute { self.takeShares() } }
    }

    func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        eventLoop.execute {
            // Jobs that were sent before this call may still be in the mailbox.
            self.takeShares()
            for pool in self.origins.pools { pool.cancel { isCancelled($0.job.id) } }
        }
    }

    func stopSending() {
        eventLoop.execute {
            self.isStopped = true
            self.takeShares()
            for pool in self.origins.pools { pool.stopSending() }
        }
    }

    /// Retires credentials. Their waiting messages are still sent for ``WebPushConfiguration/retirementSeconds``. After
    /// this time, the remaining messages are returned and routed again.
    ///
    /// - Parameter isRetired: a closure that is called after this time, because a credential may come into use again
    ///   meanwhile.
    func retire(_ isRetired: @escaping @Sendable (Credential.ID) -> Bool) {
        eventLoop.scheduleTask(in: .seconds(retirementSeconds)) {
            self.takeShares()
            for pool in self.origins.pools { pool.retire(isRetired) }
            for (id, counter) in self.counters where isRetired(id) {
                self.forget(counter)
                self.counters[id] = nil
            }
        }
    }

    /// Closes all connections at once. Messages on the wire are lost.
    func giveUp() { eventLoop.execute { for pool in self.origins.pools { pool.giveUp() } } }

    /// Closes all connections once their last answers have arrived.
    func close() async throws {
        try await eventLoop.flatSubmit {
            self.takeShares()
            self.ticker?.cancel()
            self.ticker = nil
            return EventLoopFuture.andAllComplete(
                self.origins.pools.map { $0.close() }, on: self.eventLoop
            ).always { _ in
                for counter in self.counters.values { self.forget(counter) }
                self.counters = [:]
            }
        }.get()
    }

    // MARK: On the event loop

    private func takeShares() {
        eventLoop.preconditionInEventLoop()
        let shares = mailbox.withLock { shares in
            defer { shares = [] }
            return shares
        }
        for share in shares { deal(share) }
        outcomes.report()
        if ticker == nil, !isStopped, !shares.isEmpty {
            ticker = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [weak self] _ in
                self?.tick()
            }
        }
    }

    /// Distributes a share's recipients to their origins.
    private func deal(_ share: Share) {
        let job = share.job
        guard !isStopped else {
            for recipient in share.recipients { settle(job, recipient, .returned) }
            return
        }
        var pools: [OriginPool] = []
        for recipient in share.recipients {
            do {
                let pool = try pool(of: recipient, in: job.routed.job)
                if pool.gather(recipient) { pools.append(pool) }
            } catch let fault as WebPushFault {
                settle(job, recipient, .rejected, reason: fault.reason)
            } catch is OriginTable.Full {
                settle(job, recipient, .hold, reason: "TooManyOrigins")
            } catch {
                logger.error(
                    .serviceUnreachable, "Cannot prepare connections to a push service",
                    metadata: ["error": "\(error)"])
                settle(job, recipient, .hold, reason: SendingReason.connectionFailed)
            }
        }
        guard !pools.isEmpty else { return }
        let tokens = counter(of: job.identity.credential).tokens(of: job.routed.job.app)
        for pool in pools { pool.send(job, tokens: tokens) }
    }

    private func pool(of recipient: Int, in job: Job) throws -> OriginPool {
        try job.withBytes { bytes in
            try origins.find(UnsafeBufferPointer(rebasing: bytes[job.recipients[recipient].token]))
        }
    }

    private func tick() {
        let now = Moment(wall: clock(), uptime: Uptime.milliseconds())
        for pool in origins.removeUnused(nowMilliseconds: now.uptime) { _ = pool.close() }
        for counter in counters.values { counter.report(now: now) }
    }

    private func settle(_ job: WebPushJob, _ recipient: Int, _ verdict: Outcome.Verdict, reason: String? = nil) {
        outcomes.add(
            Outcome(job: job.routed, recipient: recipient, verdict: verdict, reason: reason, at: clock()),
            for: job.sink)
    }

    // MARK: Bad subscriptions

    private func counter(of credential: Credential) -> BadTokenCounter {
        if let known = counters[credential.id] { return known }
        var logger = logger
        logger[metadataKey: "credential"] = "\(credential.id)"
        logger[metadataKey: "vapid"] = "\(credential.account)"
        let new = BadTokenCounter(
            of: Refusal.Subject(credential: credential.id, environment: .production, topic: nil),
            mixUp: (
                reason: WebPushAnswer.mismatch, question: "were they made with another VAPID key?"
            ), refusals: refusals.take, logger: logger)
        counters[credential.id] = new
        return new
    }

    private func forget(_ counter: BadTokenCounter) {
        counter.report(now: Moment(wall: clock(), uptime: Uptime.milliseconds()))
        counter.forget()
    }
}
