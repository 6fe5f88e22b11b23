package import NIOCore
package import PushModel
internal import Threading

/// Why a job gets no pool: it is returned.
package enum PushPoolRefusal: Error {
    case stopped
    case retired
}

/// The pools of an output, each of one credential, as long as that is in use.
package final class PushPools<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var pools: [Key: (pool: PushPool, credential: Credential.ID)] = [:]
        /// Retired, and not closed yet.
        var draining: [ObjectIdentifier: PushPool] = [:]
        var credentials: Set<Credential.ID> = []
        /// No longer in use; a job that was routed a moment ago may still name one.
        var retired: Set<Credential.ID> = []
        var isStopped = false

        var all: [PushPool] { pools.values.map(\.pool) + draining.values }
    }

    /// So long a retired credential goes on being used for what waits, which may be a campaign.
    private let retirement: TimeAmount
    private let state = Mutex(State())

    package init(retirement: TimeAmount) {
        self.retirement = retirement
    }

    /// - Parameter make: called where there is none yet, one at a time.
    /// - Throws: ``PushPoolRefusal``, or what `make` throws.
    package func pool(
        _ key: Key, of credential: Credential.ID, make: () throws -> PushPool
    ) throws -> PushPool {
        try state.withLock { state in
            guard !state.isStopped else { throw PushPoolRefusal.stopped }
            guard !state.retired.contains(credential) else { throw PushPoolRefusal.retired }
            if let known = state.pools[key] { return known.pool }
            let new = try make()
            state.pools[key] = (new, credential)
            return new
        }
    }

    /// - Returns: the credentials that are retired now.
    @discardableResult
    package func credentialsChanged(to credentials: Set<Credential.ID>) -> Set<Credential.ID> {
        let (gone, retired) = state.withLock { state in
            // A credential that is not known yet is of a snapshot to come, and not retired.
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

    /// Cancelled, it gives up what is on the wire.
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
