import Foundations
import Logging
import Observability
import PushModel
import Store
import Routing

/// A gate that stops the start of a worker while its keyring can't open any credential. The worker consumes no jobs
/// until a credential can be opened. In the meantime, workers with a valid keyring process the jobs, and a rollout with
/// a wrong keyring stops at its first worker.
struct KeyringGate {
    let store: SnapshotStore
    let changes: ChangeListener
    let outputs: [any OutputPlugin]
    let state: WorkerState
    let failures: OngoingFailures
    let logger: Logger

    /// The maximum number of errors to show in `/ready` and in the log.
    private static let mostErrors = 3

    /// Waits until a credential of the worker's outputs can be opened, or until the outputs have no active credential.
    /// During the wait, the database and the keyring file are monitored for changes.
    func pass() async {
        let snapshots = store.changes()
        guard !isOpen(store.current) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [store, changes] in await store.run(on: changes) }
            for await snapshot in snapshots where isOpen(snapshot) { break }
            group.cancelAll()
        }
        guard !Task.isCancelled else { return }
        failures.ended(.keyringOpens, "The keyring opens a credential", after: .keyringOpensNothing, to: logger)
    }

    private func isOpen(_ snapshot: Snapshot) -> Bool {
        let errors = snapshot.reasonsToOpenNothing(of: outputs)
        guard !errors.isEmpty else { return true }
        let text = errors.prefix(Self.mostErrors).joined(separator: "; ")
        state.waits("the keyring opens no credential: \(text)")
        failures.began(
            .keyringOpensNothing, "The keyring opens no credential, so this worker consumes no jobs", text,
            level: .error, to: logger)
        return false
    }
}

extension Snapshot {
    /// Returns the reasons why none of the outputs' active credentials can be opened. The result is empty if at least
    /// one can be opened, or if there are no active credentials. Rows that can't be read are ignored, because the
    /// keyring is not the cause.
    func reasonsToOpenNothing(of outputs: [any OutputPlugin]) -> [String] {
        let names = Set(outputs.map(\.name))
        let active = credentialSummaries.filter { $0.state == .active && names.contains($0.output) }
        var errors: [String] = []
        for summary in active {
            guard case .failure(let error) = opened(summary.id) else { return [] }
            if !error.isUnreadable { errors.append("\(error)") }
        }
        return errors.sorted()
    }
}
