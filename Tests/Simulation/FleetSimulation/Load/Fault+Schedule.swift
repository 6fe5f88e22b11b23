extension Fault {
    /// Schedules the beginning and the end of the fault.
    func schedule(in fleet: Fleet, _ publisher: Publisher) {
        let condition = Condition(kind)
        fleet.timeline.after(milliseconds: start) {
            fleet.note("begins: \(kind)")
            condition.worker = worker(in: fleet)
            strike(condition.worker, fleet, publisher)
            fleet.begin(condition)
        }
        fleet.timeline.after(milliseconds: end) {
            fleet.note("ends: \(kind)")
            fleet.end(condition)
            // The orchestrator replaces a worker that was killed or stopped.
            switch kind {
            case .killWorker, .stopWorker: fleet.startWorker()
            default: break
            }
        }
    }

    /// Returns the worker that the fault hits, or `nil` if it hits no single worker.
    private func worker(in fleet: Fleet) -> SimulatedWorker? {
        let living = fleet.living
        switch kind {
        case .cutConsumer(let number, _), .cutPublisher(let number), .killWorker(let number), .stopWorker(let number),
            .loseProvider(let number), .isolateWorker(let number), .cutOffWorker(let number):
            return living.isEmpty ? nil : living[number % living.count]
        default: return nil
        }
    }

    /// Carries out the part of the fault that happens once, at its beginning.
    private func strike(_ worker: SimulatedWorker?, _ fleet: Fleet, _ publisher: Publisher) {
        switch kind {
        case .cutConsumer(_, let connection): worker?.cutConsumer(connection)
        case .cutPublisher: worker?.cutPublisher()
        case .killWorker: worker?.kill()
        case .stopWorker: worker?.stop()
        case .loseProvider, .cutOffWorker: worker?.loseProvider()
        case .isolateWorker: worker?.cutBroker()
        case .unreachableProvider: for worker in fleet.living { worker.loseProvider() }
        case .burst(let tenant, let jobs, let lane): publisher.burst(tenant, jobs: jobs, lane: lane)
        default: break
        }
    }
}
