import Contract
import PushModel

/// The tenants, workers, traffic and faults of a history, chosen at random from its seed.
package struct Scenario {
    /// The time during which jobs are published, in milliseconds.
    let duration: Int64
    let workers: Int
    /// The difference between each worker's clock and the true time, in milliseconds.
    let clockErrors: [Int64]
    let tenants: [Tenant]
    package private(set) var faults: [Fault]

    package init(duration: Int64, workers: Int, tenants: [Tenant], faults: [Fault]) {
        self.duration = duration
        self.workers = workers
        clockErrors = Array(repeating: 0, count: workers)
        self.tenants = tenants
        self.faults = faults
    }

    /// Draws a scenario.
    package init(seed: UInt64) {
        let dice = Dice(seed: seed)
        duration = dice.pick([300_000, 900_000, 3_600_000])
        workers = dice.number(1...5)
        clockErrors = (0..<workers).map { _ in dice.happens(0.1) ? dice.number(-30_000...30_000) : 0 }
        let count = dice.pick([1, 3, 10, 30])
        let credentials = max(1, dice.number(1...count))
        // The expected number of jobs of all tenants. A few tenants publish most of the jobs.
        let jobs = Double(dice.pick([100, 300, 1_000]))
        let weights = (0..<count).map { 1 / Double($0 + 1) }
        let sum = weights.reduce(0, +)
        let hours = Double(duration) / 3_600_000
        tenants = (0..<count).map { number in
            var tenant = Tenant(
                number: number, credential: "c\(dice.number(1...credentials))",
                jobsPerHour: max(1, jobs * weights[number] / sum / hours), recipients: dice.pick([2, 10, 600]),
                urgentShare: dice.pick([0, 0.2, 0.5]), bulkShare: dice.pick([0, 0.2, 0.5]))
            if dice.happens(0.3) { tenant.deadShare = 0.1 }
            if dice.happens(0.2) { tenant.scheduledShare = 0.2 }
            if dice.happens(0.2) { tenant.onceShare = dice.pick([0.2, 1]) }
            if dice.happens(0.1) { tenant.poisonShare = dice.pick([0.05, 1]) }
            // No tenant has both a rate limit and refused pushes. Each attempt of a refused push counts against the
            // rate limit again, so such an app might need days.
            if dice.happens(0.15), tenant.poisonShare == 0 { tenant.rate = dice.pick([1, 5, 50]) }
            return tenant
        }
        faults = []
        for _ in 0..<dice.pick([0, 1, 2, 4]) { faults.append(fault(dice)) }
        // A separate source of random numbers keeps the other decisions of a seed unchanged.
        let more = Dice(seed: seed ^ 0xC07)
        if more.happens(0.1) {
            let start = more.number(1_000...duration)
            faults.append(
                Fault(
                    .cutOffWorker(worker: more.number(0...(workers - 1))), start: start,
                    end: start + more.pick([20_000, 120_000, 600_000])))
        }
        faults.sort { $0.start < $1.start }
    }

    private func fault(_ dice: Dice) -> Fault {
        let worker = dice.number(0...(workers - 1))
        let tenant = tenants[dice.number(0...(tenants.count - 1))]
        let start = dice.number(1_000...duration)
        let length: Int64 = dice.pick([2_000, 20_000, 120_000, 600_000])
        let kind: Fault.Kind =
            switch dice.number(0...15) {
            case 0: .cutConsumer(worker: worker, connection: dice.number(0...(JobQueue.connections.count - 1)))
            case 1: .cutPublisher(worker: worker)
            case 2: .killWorker(worker: worker)
            case 3: .stopWorker(worker: worker)
            case 4: .loseProvider(worker: worker)
            case 5: .isolateWorker(worker: worker)
            case 6: .silentProvider
            case 7: .unreachableProvider
            case 8: .overloadedProvider(share: dice.pick([0.1, 0.9]))
            case 9: .slowProvider(milliseconds: dice.pick([500, 3_000]))
            case 10: .databaseAway
            case 11: .refusedCredential(tenant.credential)
            case 12: .refusedApp(tenant.number)
            case 13: .pausedApp(tenant.number)
            case 14: .fullLane(dice.pick(Lane.allCases), dice.pick([0, 5]))
            default: .burst(tenant: tenant.number, jobs: dice.pick([50, 400]), dice.pick(Lane.allCases))
            }
        return Fault(kind, start: start, end: start + length)
    }
}
