import Foundations
package import Logging
package import Metering
package import PushModel

/// The only source of a credential's provider tokens in a process. The credential's pools share it.
package final class ProviderTokenSource: Sendable {
    private struct State {
        var cache: ProviderTokenCache
        var observers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let credential: Credential.ID
    private let signer: ProviderTokenSigner
    private let store: any SharedTokenStore
    private let clock: @Sendable () -> Int64
    private let logger: Logger
    private let state: Mutex<State>
    /// The metrics of provider tokens. Only one task fetches tokens at a time, so there is only one writer.
    private let madeAt, made: MetricCell

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - patience: the time in milliseconds after which a store that does not answer counts as unavailable.
    ///   - clock: a clock in milliseconds that never jumps and that also runs while the machine sleeps.
    package init(
        credential: Credential.ID, signer: ProviderTokenSigner, store: any SharedTokenStore, patience: Int64,
        metrics: MetricRegistry? = nil, clock: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        let metrics = metrics ?? MetricRegistry()
        madeAt = metrics.cell(.tokenTime, [credential])
        made = metrics.cell(.tokensMade, [credential])
        self.credential = credential
        self.signer = signer
        self.store = store
        self.clock = clock
        self.logger = logger
        state = Mutex(State(cache: ProviderTokenCache(patience: patience)))
    }

    package var now: Int64 { clock() }

    /// Returns the token to use from now on, without blocking. If a token must be fetched, the observers are called
    /// after the fetch.
    package func current(now: Int64) -> ProviderTokenCache.Answer {
        let (answer, fetch) = state.withLock { $0.cache.needed(now: now) }
        if let fetch { begin(fetch) }
        return answer
    }

    /// Records that APNs called a token expired. The store is then asked for a newer token.
    package func refused(_ token: Secret) {
        let now = clock()
        state.withLock { $0.cache.refused(token, now: now) }
    }

    /// Adds an observer.
    ///
    /// - Parameter changed: a closure that is called on any thread when ``current(now:)`` may return another answer.
    package func addObserver(_ id: ObjectIdentifier, changed: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers[id] = changed }
    }

    package func removeObserver(_ id: ObjectIdentifier) {
        state.withLock { $0.observers[id] = nil }
    }

    private func begin(_ fetch: ProviderTokenCache.Fetch) {
        Task {
            do {
                let shared = try await store.token(of: credential, youngerThan: fetch.age) { [signer, made] in
                    made.add()
                    return try signer.sign(issuedAt: $0)
                }
                madeAt.set(Int(shared.issuedAt.milliseconds))
                let isBack = finish { cache, now in cache.fetched(shared, now: now) }
                if isBack { logger.notice(.providerTokensBack, "Provider tokens are available again") }
                logger.debug(
                    "Provider token loaded",
                    metadata: ["issued_at": "\(shared.issuedAt.rfc3339)", "age_seconds": "\(shared.age / 1000)"])
            } catch {
                let isGone = finish { cache, now in cache.fetchFailed(now: now, random: .random(in: 0..<1)) }
                if isGone {
                    logger.error(
                        .providerTokensGone, "No provider token is available; retrying",
                        metadata: ["error": "\(error)"])
                }
            }
        }
    }

    /// Applies a change to the cache and calls the observers.
    ///
    /// - Returns: the result of `event`, which is whether the change must be logged.
    private func finish(_ event: (inout ProviderTokenCache, Int64) -> Bool) -> Bool {
        let now = clock()
        let (isNews, observers) = state.withLock { state in
            (event(&state.cache, now), Array(state.observers.values))
        }
        for changed in observers { changed() }
        return isNews
    }
}
