package import Foundations
package import Logging
package import PostgresClient
package import PushModel
package import Routing

/// A store for the newest snapshot, which it replaces whenever apps or credentials change.
///
/// ``run(on:)`` follows the database with NOTIFY. It also polls every few seconds, because a notification may be lost.
/// While the database is unavailable, the last snapshot stays in use.
package final class SnapshotStore: Sendable {
    private struct State {
        var loaded: SnapshotLoader.Loaded
        var observers: [Int: AsyncStream<Snapshot>.Continuation] = [:]
        var lastObserver = 0
        /// The time of the last successful read, even if it found no changes.
        var lastLook = Timestamp.now
    }

    private let state: Mutex<State>
    private let loader: SnapshotLoader
    private let pollInterval: Duration
    private let patience: ReadTimeout
    private let failures: OngoingFailures
    private let logger: Logger

    /// Loads the first snapshot.
    ///
    /// - Parameters:
    ///   - pollInterval: the longest time that a change may go unnoticed while notifications are lost.
    ///   - patience: the timeout for loading a snapshot.
    /// - Throws: ``PostgresError``, ``StoreError``. A row that can't be read or a credential that can't be opened is
    ///   not an error, because it affects only its own apps.
    package static func load(
        from pool: PostgresPool, keyring: MasterKeyring, pollInterval: Duration = .seconds(3),
        patience: ReadTimeout = ReadTimeout(), failures: OngoingFailures = OngoingFailures(), logger: Logger
    ) async throws -> SnapshotStore {
        let loader = SnapshotLoader(pool: pool, keyring: keyring)
        let start = ContinuousClock.now
        guard let loaded = try await loader.load(after: nil, timeout: patience.timeout) else {
            throw PostgresError(.unexpectedResult, "no snapshot of apps and credentials")
        }
        // The timeout of the next load depends on the duration of the first load, so that a hanging load is noticed.
        var patience = patience
        patience.succeeded(after: .now - start)
        let store = SnapshotStore(
            loader: loader, loaded: loaded, pollInterval: pollInterval, patience: patience, failures: failures,
            logger: logger)
        store.log(loaded.snapshot, after: nil)
        return store
    }

    private init(
        loader: SnapshotLoader, loaded: SnapshotLoader.Loaded, pollInterval: Duration, patience: ReadTimeout,
        failures: OngoingFailures, logger: Logger
    ) {
        state = Mutex(State(loaded: loaded))
        self.loader = loader
        self.pollInterval = pollInterval
        self.patience = patience
        self.failures = failures
        self.logger = logger
    }

    /// The newest snapshot. It may be read from any thread.
    package var current: Snapshot { state.withLock { $0.loaded.snapshot } }

    /// The time at which apps and credentials were last read successfully.
    package var lastLook: Timestamp { state.withLock { $0.lastLook } }

    /// Returns a stream of new snapshots. A slow reader gets only the newest snapshot.
    package func changes() -> AsyncStream<Snapshot> {
        let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = continuation
            return state.lastObserver
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.observers.removeValue(forKey: id) }
        }
        return stream
    }

    /// Replaces the snapshot after each change to the database, until the task is cancelled.
    package func run(on changes: ChangeListener) async {
        var patience = patience
        var generation = loader.keyring.generation
        for await _ in changes.signals(of: ["apps", "app_accounts", "credentials"], atLeastEvery: pollInterval) {
            refreshKeyring()
            // The last `reload` may also have changed the keys, because the keyring reads its file again to find a
            // missing key.
            if loader.keyring.generation != generation { logKeyring() }
            generation = loader.keyring.generation
            await reload(&patience)
        }
    }

    private func refreshKeyring() {
        do {
            _ = try loader.keyring.refresh()
            failures.ended(
                .keyringReadAgain, "The keyring can be read again", after: .keyringUnreadable, to: logger)
        } catch {
            failures.began(
                .keyringUnreadable, "The keyring cannot be read; the last master keys stay in use", "\(error)",
                level: .error, to: logger)
        }
    }

    private func logKeyring() {
        let keyring = loader.keyring
        logger.notice(
            .keyringRead, "Master keys reloaded",
            metadata: ["current": "\(keyring.currentKeyID)", "keys": .array(keyring.keyIDs.sorted().map { "\($0)" })])
    }

    private func reload(_ patience: inout ReadTimeout) async {
        let start = ContinuousClock.now
        do {
            let last = state.withLock { $0.loaded }
            if let loaded = try await loader.load(after: last, timeout: patience.timeout) {
                replace(with: loaded)
                patience.succeeded(after: .now - start)
            }
            state.withLock { $0.lastLook = .now }
            failures.ended(
                .snapshotReadAgain, "Apps and credentials can be read again", after: .snapshotUnreadable, to: logger)
        } catch {
            patience.failed(error)
            if Task.isCancelled { return }
            failures.began(
                .snapshotUnreadable, "Apps and credentials cannot be read; the last ones stay in use", "\(error)",
                to: logger)
        }
    }

    private func replace(with loaded: SnapshotLoader.Loaded) {
        let (old, observers) = state.withLock { state in
            defer { state.loaded = loaded }
            return (state.loaded.snapshot, Array(state.observers.values))
        }
        log(loaded.snapshot, after: old)
        for observer in observers { observer.yield(loaded.snapshot) }
    }

    private func log(_ new: Snapshot, after old: Snapshot?) {
        let added = new.credentialIDs.subtracting(old?.credentialIDs ?? [])
        let removed = (old?.credentialIDs ?? []).subtracting(new.credentialIDs)
        logger.info(
            .snapshotRead, "Apps and credentials read",
            metadata: [
                "apps": "\(new.appCount)", "credentials": "\(new.credentialIDs.count)",
                "credentials_added": .array(added.sorted().map { "\($0)" }),
                "credentials_removed": .array(removed.sorted().map { "\($0)" }),
            ])
        for problem in new.appProblems.subtracting(old?.appProblems ?? []).sorted() {
            logger.error(
                .appUnreadable,
                "App cannot be read; its last valid row stays in use, or its jobs wait",
                metadata: ["error": "\(problem)"])
        }
        for problem in new.openingProblems.subtracting(old?.openingProblems ?? []).sorted() {
            logger.error(.credentialUnopened, "Credential cannot be used", metadata: ["error": "\(problem)"])
        }
        for problem in new.keptBecause.subtracting(old?.keptBecause ?? []).sorted() {
            logger.error(
                .credentialKept,
                "Credential can no longer be opened; the copy in memory stays in use",
                metadata: ["error": "\(problem)"])
        }
    }
}
