extension Fault {
    /// Schedules the beginning and the end of the fault.
    func schedule(in fleet: Fleet, _ publisher: Publisher) {
        fleet.timeline.after(milliseconds: start) { begin(in: fleet, publisher) }
        fleet.timeline.after(milliseconds: end) { end(in: fleet) }
    }

    private func worker(_ number: Int, in fleet: Fleet) -> SimulatedWorker? {
        let living = fleet.living
        return living.isEmpty ? nil : living[number % living.count]
    }

    private func begin(in fleet: Fleet, _ publisher: Publisher) {
        fleet.note("begins: \(kind)")
        switch kind {
        case .cutConsumer(let number, let connection): worker(number, in: fleet)?.cutConsumer(connection)
        case .cutPublisher(let number): worker(number, in: fleet)?.cutPublisher()
        case .killWorker(let number): worker(number, in: fleet)?.kill()
        case .stopWorker(let number): worker(number, in: fleet)?.stop()
        case .loseProvider(let number): worker(number, in: fleet)?.loseProvider()
        case .isolateWorker(let number): worker(number, in: fleet)?.setReachable(false)
        case .silentProvider: fleet.provider.isSilent = true
        case .unreachableProvider:
            fleet.provider.isReachable = false
            for worker in fleet.living { worker.loseProvider() }
        case .overloadedProvider(let share): fleet.provider.overload = share
        case .slowProvider(let milliseconds): fleet.provider.meanMilliseconds = milliseconds
        case .databaseAway: fleet.database.isAvailable = false
        case .refusedCredential(let credential): fleet.provider.refusedCredentials.insert(credential)
        case .refusedApp(let app): fleet.provider.refusedApps.insert(app)
        case .pausedApp(let app): fleet.change(app) { $0.isPaused = true }
        case .fullLane(let lane, let length): fleet.limit(lane, to: length)
        case .burst(let tenant, let jobs, let lane): publisher.burst(tenant, jobs: jobs, lane: lane)
        }
    }

    private func end(in fleet: Fleet) {
        fleet.note("ends: \(kind)")
        switch kind {
        case .cutConsumer, .cutPublisher, .loseProvider, .burst: break
        // The orchestrator replaces a worker that is gone.
        case .killWorker, .stopWorker: fleet.startWorker()
        case .isolateWorker: for worker in fleet.living { worker.setReachable(true) }
        case .silentProvider: fleet.provider.isSilent = false
        case .unreachableProvider: fleet.provider.isReachable = true
        case .overloadedProvider: fleet.provider.overload = 0
        case .slowProvider: fleet.provider.meanMilliseconds = 40
        case .databaseAway: fleet.database.isAvailable = true
        case .refusedCredential(let credential): fleet.provider.refusedCredentials.remove(credential)
        case .refusedApp(let app): fleet.provider.refusedApps.remove(app)
        case .pausedApp(let app): fleet.change(app) { $0.isPaused = false }
        case .fullLane(let lane, _): fleet.limit(lane, to: nil)
        }
    }
}
