import PushModel

/// A fault between its beginning and its end. Several faults of one kind may overlap.
final class Condition {
    let kind: Fault.Kind
    /// The worker that the fault hits, or `nil` if it hits no single worker.
    var worker: SimulatedWorker?

    init(_ kind: Fault.Kind) {
        self.kind = kind
    }
}

extension Fleet {
    /// Sets every part of the fleet to the state that the current faults require.
    func apply(_ conditions: [Condition]) {
        provider.recover()
        database.isAvailable = true
        for lane in Lane.allCases { limit(lane, to: nil) }
        for worker in living { (worker.reachesBroker, worker.reachesProvider) = (true, true) }
        var paused: Set<Int> = []
        for condition in conditions {
            switch condition.kind {
            case .cutConsumer, .cutPublisher, .killWorker, .stopWorker, .loseProvider, .burst: break
            case .isolateWorker: condition.worker?.reachesBroker = false
            case .cutOffWorker: condition.worker?.reachesProvider = false
            case .silentProvider: provider.isSilent = true
            case .unreachableProvider: provider.isReachable = false
            case .overloadedProvider(let share): provider.overload = share
            case .slowProvider(let milliseconds): provider.meanMilliseconds = milliseconds
            case .databaseAway: database.isAvailable = false
            case .refusedCredential(let credential): provider.refusedCredentials.insert(credential)
            case .refusedApp(let app): provider.refusedApps.insert(app)
            case .pausedApp(let app): paused.insert(app)
            case .fullLane(let lane, let length): limit(lane, to: length)
            }
        }
        for tenant in tenants.indices where tenants[tenant].isPaused != paused.contains(tenant) {
            change(tenant) { $0.isPaused.toggle() }
        }
    }
}
