import FleetSimulation
import PushModel
import Testing

/// The time that pushes take beside those of a slow, limited, paused or unreachable app, compared with the time alone.
@Suite struct WaitingTests {
    /// An app with few jobs of one recipient.
    private static func tenant(_ number: Int, _ change: (inout Tenant) -> Void = { _ in }) -> Tenant {
        var tenant = Tenant(number: number, credential: "c\(number + 1)", jobsPerHour: 0)
        change(&tenant)
        return tenant
    }

    private static func burst(_ tenant: Int, _ jobs: Int, _ lane: Lane, at second: Int64) -> Fault {
        Fault(.burst(tenant: tenant, jobs: jobs, lane), start: second * 1_000, end: second * 1_000)
    }

    private static func run(_ tenants: [Tenant], workers: Int = 1, _ faults: [Fault]) -> History.Result {
        History(Scenario(duration: 60_000, workers: workers, tenants: tenants, faults: faults)).run()
    }

    /// Returns the longest time until a push of an app had its outcome, in milliseconds.
    private static func slowest(_ app: Int, _ lane: Lane, in result: History.Result) -> Int64 {
        result.accounts.filter { $0.key.app == app && $0.value.lane == lane }.compactMap(\.value.delay).max() ?? .max
    }

    /// Expects at most 1.5 times the time that the app needs alone, plus half a second for the first connection.
    private static func expect(_ beside: Int64, atMostLongerThan alone: Int64, _ name: String) {
        #expect(beside <= alone * 3 / 2 + 500, "\(name): \(beside) ms beside others, \(alone) ms alone")
    }

    // MARK: Apps beside each other

    @Test(arguments: Lane.allCases)
    func slowBacklogDoesNotDelayBurstOfOtherApp(lane: Lane) {
        let slow = Self.tenant(0) { ($0.streams, $0.answerMilliseconds) = (40, 1_000) }
        let burst = Self.burst(1, 3_000, lane, at: 30)
        let alone = Self.run([slow, Self.tenant(1)], [burst])
        let beside = Self.run([slow, Self.tenant(1)], [Self.burst(0, 8_000, lane, at: 5), burst])
        Self.expect(
            Self.slowest(1, lane, in: beside), atMostLongerThan: Self.slowest(1, lane, in: alone), "\(lane)")
    }

    /// The slow apps occupy all waiting queues that the burst may use, so its jobs wait in delay queues for a second or
    /// two.
    @Test func manySlowBacklogsDelayBurstByAtMostThreeSeconds() {
        let slow = (0..<6).map { Self.tenant($0) { ($0.streams, $0.answerMilliseconds) = (100, 5_000) } }
        let burst = Self.burst(6, 3_000, .normal, at: 30)
        let alone = Self.run(slow + [Self.tenant(6)], [burst])
        let backlogs = (0..<6).map { Self.burst($0, 3_000, .normal, at: 5) }
        let beside = Self.run(slow + [Self.tenant(6)], backlogs + [burst])
        let (slowest, slowestAlone) = (Self.slowest(6, .normal, in: beside), Self.slowest(6, .normal, in: alone))
        #expect(slowest <= slowestAlone + 3_000, "\(slowest) ms beside others, \(slowestAlone) ms alone")
    }

    /// The bulk lane is full, so the broker refuses the scheduled bulk jobs of one app when they come due.
    @Test func fullLaneDoesNotDelayRetriesOfOtherApp() {
        let scheduled = Self.tenant(0) { $0.scheduledShare = 1 }
        let retried = Self.tenant(1) { $0.isRetriedOnce = true }
        let burst = Self.burst(1, 100, .urgent, at: 700)
        let alone = Self.run([scheduled, retried], [burst])
        let full = Fault(.fullLane(.bulk, 0), start: 20_000, end: 1_500_000)
        let beside = Self.run([scheduled, retried], [Self.burst(0, 80, .bulk, at: 5), full, burst])
        Self.expect(
            Self.slowest(1, .urgent, in: beside), atMostLongerThan: Self.slowest(1, .urgent, in: alone), "urgent")
    }

    // MARK: Lanes of one app

    @Test(arguments: [Lane.normal, .bulk])
    func backlogOfLimitedAppDoesNotDelayUrgentPushes(lane: Lane) {
        let limited = Self.tenant(0) { ($0.rate, $0.rateIncludesUrgent) = (50, true) }
        let burst = Self.burst(0, 600, .urgent, at: 20)
        let alone = Self.run([limited], [burst])
        let beside = Self.run([limited], [Self.burst(0, 5_000, lane, at: 5), burst])
        Self.expect(
            Self.slowest(0, .urgent, in: beside), atMostLongerThan: Self.slowest(0, .urgent, in: alone), "\(lane)")
    }

    // MARK: Apps that cannot send

    /// The jobs of a paused app cost the broker nothing while they wait, and are sent within ten seconds after the
    /// pause.
    @Test func sendsBacklogOfPausedAppWithinTenSeconds() {
        let jobs = 2_000
        let pause = Fault(.pausedApp(0), start: 5_000, end: 3_605_000)
        let result = Self.run([Self.tenant(0)], [pause, Self.burst(0, jobs, .normal, at: 10)])
        let ends = result.accounts.values.compactMap { $0.reports.first?.time }
        #expect(result.messages <= 4 * jobs, "\(result.messages) messages for \(jobs) jobs")
        #expect((ends.max() ?? .max) <= pause.end + 10_000, "the last outcome after \(ends.max() ?? 0) ms")
    }

    /// Only one of two workers reaches the provider, and must send everything. The other worker's first pushes wait for
    /// five seconds in that worker, and then for 30 seconds in a delay queue.
    @Test func sendsAllPushesThroughWorkerThatReachesProvider() {
        let cut = Fault(.cutOffWorker(worker: 0), start: 5_000, end: 3_600_000)
        let burst = Self.burst(0, 1_200, .urgent, at: 60)
        let alone = Self.run([Self.tenant(0)], workers: 2, [burst])
        let beside = Self.run([Self.tenant(0)], workers: 2, [cut, burst])
        let (slowest, slowestAlone) = (Self.slowest(0, .urgent, in: beside), Self.slowest(0, .urgent, in: alone))
        #expect(slowest <= slowestAlone + 40_000, "\(slowest) ms, \(slowestAlone) ms if both do")
    }

    /// After one worker could not connect to the provider, the broker prefers the other worker.
    @Test func prefersWorkerThatReachesProvider() {
        let cut = Fault(.cutOffWorker(worker: 0), start: 5_000, end: 3_600_000)
        let (tenants, burst) = ([Self.tenant(0), Self.tenant(1)], Self.burst(1, 400, .urgent, at: 70))
        let alone = Self.run(tenants, workers: 2, [burst])
        let beside = Self.run(tenants, workers: 2, [cut, Self.burst(0, 10, .normal, at: 60), burst])
        Self.expect(
            Self.slowest(1, .urgent, in: beside), atMostLongerThan: Self.slowest(1, .urgent, in: alone), "urgent")
    }
}
