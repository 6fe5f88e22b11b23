import Foundations
import HTTP2Pool
package import Logging
package import NIOCore
package import PushModel
import PushSending

/// The output that delivers messages to browsers through their vendors' push services (RFC 8030). It encrypts each
/// message for its recipient. Each event loop that it uses has its own connections to each service.
package final class WebPushSender: Output {
    /// The minimum number of recipients in each part when a job is divided among event loops.
    private static let leastShare = 16

    private struct State {
        var identities: [Credential.ID: VAPIDIdentity] = [:]
        var credentials: Set<Credential.ID> = []
        /// The credentials that went out of use. A job that was routed earlier may still name one of them.
        var retired: Set<Credential.ID> = []
        var isStopped = false
        /// The index of the shard that received the first part of the last job.
        var next = 0
    }

    private let shards: [WebPushShard]
    private let defaultTTL: Int64
    private let clock: @Sendable () -> Timestamp
    private let unusable: UnusableCredentials
    private let state = Mutex(State())

    /// Creates an output without connections.
    ///
    /// - Parameters:
    ///   - clock: the wall clock, for deadlines, tokens and outcomes.
    ///   - refusals: a closure that is called when a service begins or stops refusing a credential, and with the counts
    ///     of bad subscriptions. It must return quickly.
    package init(
        configuration: WebPushConfiguration, eventLoops: any EventLoopGroup, logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        refusals: @escaping @Sendable (Refusal.Event) -> Void = { _ in }
    ) {
        let filter = RefusalFilter(refusals)
        let all = Array(eventLoops.makeIterator())
        let used = all.prefix(configuration.shards(of: all.count))
        shards = used.map {
            WebPushShard(
                on: $0, configuration: configuration,
                sharing: SharedConnectionLimit(configuration.maximumConnections / used.count), clock: clock,
                refusals: filter, logger: logger)
        }
        defaultTTL = configuration.defaultTTL
        self.clock = clock
        unusable = UnusableCredentials(refusals: refusals, logger: logger)
    }

    package func send(_ job: RoutedJob, reportingTo sink: any OutcomeSink) {
        if job.job.isExpired(at: clock()) { return sink.reportAll(of: job, .expired, reason: nil, at: clock()) }
        do {
            let (identity, first) = try place(for: job)
            let prepared = try WebPushJob(job, sink: sink, identity: identity, defaultTTL: defaultTTL)
            deal(prepared, from: first)
        } catch let fault as WebPushFault {
            sink.reportAll(of: job, .rejected, reason: fault.reason, at: clock())
        } catch PushPoolRefusal.stopped, PushPoolRefusal.retired {
            sink.reportAll(of: job, .returned, reason: nil, at: clock())
        } catch {
            unusable.hold(job, because: error, sink, at: clock())
        }
    }

    /// Returns the identity for the job's credential, and the index of the shard that receives the job's first part.
    private func place(for job: RoutedJob) throws -> (VAPIDIdentity, Int) {
        guard let credential = job.credential else { throw WebPushOutputError.noCredential }
        let (identity, first, isNew) = try state.withLock { state in
            guard !state.isStopped else { throw PushPoolRefusal.stopped }
            guard !state.retired.contains(credential.id) else { throw PushPoolRefusal.retired }
            let known = state.identities[credential.id]
            let identity =
                if let known, known.credential == credential { known } else {
                    try VAPIDIdentity(credential, replacing: known)
                }
            state.identities[credential.id] = identity
            state.next = (state.next + 1) % shards.count
            return (identity, state.next, identity !== known)
        }
        if isNew { unusable.ended([credential.id]) }
        return (identity, first)
    }

    private func deal(_ job: WebPushJob, from first: Int) {
        let count = job.routed.job.recipients.count
        let parts = max(1, min(shards.count, count / Self.leastShare))
        for part in 0..<parts {
            shards[(first + part) % shards.count].send(
                job, recipients: count * part / parts..<count * (part + 1) / parts)
        }
    }

    package func credentialsChanged(to credentials: Set<Credential.ID>) {
        let gone = state.withLock { state in
            // A credential that is in neither set belongs to a newer snapshot that is not applied yet, so it is not
            // retired.
            let gone = state.credentials.subtracting(credentials)
            state.retired = state.retired.union(gone).subtracting(credentials)
            state.credentials = credentials
            for id in gone { state.identities[id] = nil }
            return gone
        }
        guard !gone.isEmpty else { return }
        unusable.ended(gone)
        for shard in shards {
            shard.retire { [self] credential in state.withLock { $0.retired.contains(credential) } }
        }
    }

    package func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        for shard in shards { shard.cancel(isCancelled) }
    }

    package func stopSending() {
        state.withLock { $0.isStopped = true }
        for shard in shards { shard.stopSending() }
    }

    package func shutDown() async {
        state.withLock { $0.isStopped = true }
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for shard in shards { group.addTask { try? await shard.close() } }
            }
        } onCancel: {
            for shard in shards { shard.giveUp() }
        }
    }
}
