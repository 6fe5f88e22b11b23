package import NIOCore
package import PushModel
internal import Foundations

/// The reason why a job gets no pool. The job is then returned.
package enum PushPoolRefusal: Error {
    case stopped
    case retired
}

/// The pools of an output. Each pool belongs to one credential and exists as long as the credential is in use.
package final class PushPools<Key: Hashable & Sendable, Job: QueuedJob>: Sendable {
    private struct State {
        var pools: [Key: (pool: PushPool<Job>, credential: Credential.ID)] = [:]
        /// Pools that are retired but not closed.
        var draining: [ObjectIdentifier: PushPool<Job>] = [:]
        var credentials: Set<Credential.ID> = []
        /// Credentials that are no longer in use. A job that was routed before its credential was retired may still
        /// arrive.
        var retired: Set<Credential.ID> = []
        var isStopped = false

        var all: [PushPool<Job>] { pools.values.map(\.pool) + draining.values }
    }

    /// The time for which the pool of a retired credential continues to send its waiting pushes. The time is limited,
    /// because the pushes of a whole campaign may be waiting.
    private let retirement: TimeAmount
    private let state = Mutex(State())

    package init(retirement: TimeAmount) {
        self.retirement = retirement
    }

    /// Returns the pool for a key, and creates it if there is none.
    ///
    /// - Parameter make: A function that creates the pool. Its calls never overlap.
    /// - Throws: ``PushPoolRefusal``, or the error of `make`.
    package func pool(
        _ key: Key, of credential: Credential.ID, make: () throws -> PushPool<Job>
    ) throws -> PushPool<Job> {
        try state.withLock { state in
            guard !state.isStopped else { throw PushPoolRefusal.stopped }
            guard !state.retired.contains(credential) else { throw PushPoolRefusal.retired }
            if let known = state.pools[key] { return known.pool }
            let new = try make()
            state.pools[key] = (new, credential)
            return new
        }
    }

    /// Retires the pools whose credentials are no longer in use.
    ///
    /// - Returns: All credentials that are retired now, including those retired before.
    @discardableResult
    package func credentialsChanged(to credentials: Set<Credential.ID>) -> Set<Credential.ID> {
        let (gone, retired) = state.withLock { state in
            // A credential that was never passed to this method comes from a newer snapshot, so it is not retired.
            state.retired = state.retired.union(state.credentials).subtracting(credentials)
            state.credentials = credentials
            let gone = state.pools.filter { state.retired.contains($0.value.credential) }
            for (key, entry) in gone {
                state.pools[key] = nil
                state.draining[ObjectIdentifier(entry.pool)] = entry.pool
            }
            return (gone.values.map(\.pool), state.retired)
        }
        for pool in gone {
            pool.retire(returningAfter: retirement).whenComplete { [self] _ in
                _ = state.withLock { $0.draining.removeValue(forKey: ObjectIdentifier(pool)) }
            }
        }
        return retired
    }

    package func cancel(_ isCancelled: @escaping @Sendable (_ job: String) -> Bool) {
        for pool in state.withLock(\.all) { pool.cancel(isCancelled) }
    }

    package func stopSending() {
        let all = state.withLock { state in
            state.isStopped = true
            return state.all
        }
        for pool in all { pool.stopSending() }
    }

    /// Retires all pools and waits until they are closed. If the task is cancelled, the pools close at once, and pushes
    /// on the wire are lost.
    package func shutDown() async {
        let all = state.withLock { state in
            state.isStopped = true
            defer { state.pools = [:] }
            return state.all
        }
        await withTaskCancellationHandler {
            for closed in all.map({ $0.retire() }) { try? await closed.get() }
        } onCancel: {
            for pool in all { pool.giveUp() }
        }
    }
}
