import PushModel
import Store
import Testing
import TortureRun
import Routing

/// Tests of the invariants about the rates of apps and jobs, on constructed records.
struct RateTests {
    private static let app = Workload.pacedApps.lowerBound

    /// Returns the record of a job of a rate-limited app.
    ///
    /// - Parameters:
    ///   - rate: the measured rate, in recipients per second.
    ///   - start: the time of the first push, in milliseconds.
    private func record(
        _ recipients: Int, aSecond rate: Int, from start: Int64 = 30_000, of job: Int = 7,
        _ change: (inout JobTraits) -> Void = { _ in }
    ) -> TortureRecord {
        var traits = JobTraits()
        change(&traits)
        var record = TortureRecord()
        record.jobs[job] = JobRecord(
            app: Workload.apps[Self.app].bundleID, traits: traits,
            recipients: Array(repeating: .plain, count: recipients),
            published: start - 29_000, confirmed: start - 28_990)
        for index in 0..<recipients {
            let recipient = RecipientID(job: job, index: index)
            let time = start + Int64(index * 1_000 / rate)
            record.sightings += [
                .init(recipient: recipient, what: .arrived, at: time),
                .init(recipient: recipient, what: .answered(200), at: time + 10),
            ]
            record.outcomes.append(
                .init(recipient: recipient, kind: "sent", at: time + 20, received: time + 30, event: index))
        }
        return record
    }

    private func set(_ pace: AppRateLimit?, at time: Int64) -> FaultRecord {
        FaultRecord(fault: .setPace(app: Self.app, pace), start: time, end: time + 10)
    }

    private func broken(_ record: TortureRecord) -> Set<Invariant> { Set(Verdict(record).findings.map(\.invariant)) }

    // MARK: Apps

    @Test func detectsAppAboveRate() {
        var record = record(3_300, aSecond: 150)
        record.faults = [set(AppRateLimit(rate: 150), at: 1_000)]
        #expect(broken(record) == [])
        #expect(Verdict(record).tally.fullestWindows.count == 1)
        record.faults = [set(AppRateLimit(rate: 75), at: 1_000)]
        #expect(broken(record) == [.paced])
        record.jobs[7]?.lane = .urgent
        #expect(broken(record) == [], "the urgent lane must be exempt")
        record.faults = [set(AppRateLimit(rate: 75, includesUrgent: true), at: 1_000)]
        #expect(broken(record) == [.paced])
        record.faults.append(set(nil, at: 31_000))
        #expect(broken(record) == [], "the rate was removed")
        record.faults[1] = set(AppRateLimit(rate: 150, includesUrgent: true), at: 31_000)
        #expect(broken(record) == [], "the rate was raised")
    }

    @Test func allowsWorkersTimeToLearnRate() {
        var record = record(3_000, aSecond: 150)
        record.faults = [set(AppRateLimit(rate: 40), at: 15_000)]
        #expect(broken(record) == [.paced])
        record.faults = [set(AppRateLimit(rate: 40), at: 26_000)]
        #expect(broken(record) == [], "pushes started within 5 s may exceed the rate")
        record.faults = [
            set(AppRateLimit(rate: 40), at: 15_000),
            FaultRecord(fault: .failOver(isPlanned: true), start: 15_000, end: 30_000),
        ]
        #expect(broken(record) == [], "the database was unavailable")
    }

    @Test func allowsBurstAfterServiceOutage() {
        var record = record(3_000, aSecond: 150)
        record.faults = [set(AppRateLimit(rate: 75), at: 1_000)]
        #expect(broken(record) == [.paced])
        for fault in [Fault.apnsDown, .silence(all: true), .blackHole(.apns, worker: 2)] {
            record.faults = [record.faults[0], FaultRecord(fault: fault, start: 15_000, end: 29_000)]
            #expect(broken(record) == [], "\(fault)")
        }
        record.faults[1].start = 28_000
        #expect(broken(record) == [.paced], "only pushes of the last 2 s may be late")
        record.faults[1] = FaultRecord(fault: .service(.fcm, .down), start: 15_000, end: 29_000)
        #expect(broken(record) == [.paced], "the outage of another service is no excuse")
        record.faults[1] = FaultRecord(fault: .cutPushes, start: 29_000, end: 29_010)
        #expect(broken(record) == [.paced], "a cut connection delays no push")
        record.faults[1] = FaultRecord(fault: .streamLimit(1), start: 5_000, end: 5_000)
        record.faults.append(FaultRecord(fault: .rotateCredential(app: 0), start: 60_000, end: 60_000))
        #expect(broken(record) == [], "the stream limit must still count")
        record.faults.append(FaultRecord(fault: .streamLimit(100), start: 8_000, end: 8_000))
        #expect(broken(record) == [.paced])
    }

    @Test func ignoresUnprocessedRequests() {
        var record = record(3_000, aSecond: 150)
        record.faults = [set(AppRateLimit(rate: 75), at: 1_000)]
        for index in 0..<3_000 where index.isMultiple(of: 2) {
            record.sightings.append(.init(recipient: RecipientID(job: 7, index: index), what: .disowned, at: 60_000))
        }
        #expect(!broken(record).contains(.paced))
    }

    // MARK: Last campaigns

    /// Returns the record of a last campaign that starts at 41 s. The faults end at 30 s.
    private func lastCampaign(_ recipients: Int = 12_000, aSecond rate: Int) -> TortureRecord {
        var record = record(
            recipients, aSecond: rate, from: 41_000, of: JobNumber.campaign(JobNumber.lastCampaign(0), 0))
        for number in record.jobs.keys { record.jobs[number]?.published = 40_900 }
        record.faults = [
            FaultRecord(fault: .streamLimit(1), start: 12_000, end: 12_010),
            FaultRecord(fault: .apnsDown, start: 22_000, end: 29_900),
            FaultRecord(fault: .streamLimit(1_000), start: 30_000, end: 30_010),
            set(AppRateLimit(rate: 150), at: 30_020),
        ]
        return record
    }

    @Test func acceptsLastCampaignAtRate() {
        let tally = Verdict(lastCampaign(aSecond: 150)).tally
        #expect(broken(lastCampaign(aSecond: 150)) == [])
        #expect(Array(tally.emptiest.values) == [100])
        #expect(tally.fullestWindows.count == 2)
    }

    @Test(arguments: [200, 600, 12_000])
    func detectsUnlimitedLastCampaignDespiteEarlierFaults(rate: Int) {
        #expect(broken(lastCampaign(aSecond: rate)) == [.paced])
    }

    @Test func detectsLastCampaignBelowRate() {
        #expect(broken(lastCampaign(aSecond: 75)) == [.rateIsUsed], "half of the rate must be detected")
        let short = Verdict(lastCampaign(1_800, aSecond: 75))
        #expect(short.isGood, "a short campaign must not be judged")
        #expect(short.unjudged.count { $0.invariant == .rateIsUsed } == 2, "one app has no campaign")
        #expect(Verdict(lastCampaign(aSecond: 150)).unjudged.count { $0.invariant == .rateIsUsed } == 1)
        var unknown = lastCampaign(aSecond: 75)
        unknown.faults[3].note = "timed out"
        #expect(broken(unknown) == [], "the rate is uncertain")
        #expect(Verdict(unknown).unjudged.count { $0.invariant == .rateIsUsed } == 2)
    }

    @Test func allowsWorkersTimeToReconnect() {
        var slow = lastCampaign(1_125, aSecond: 75)
        let rest = record(
            12_000, aSecond: 150, from: 56_000, of: JobNumber.campaign(JobNumber.lastCampaign(0), 1))
        slow.jobs.merge(
            rest.jobs.mapValues { job in
                var job = job
                job.published = 40_900
                return job
            }
        ) { first, _ in first }
        slow.sightings += rest.sightings
        slow.outcomes += rest.outcomes
        #expect(broken(slow) == [], "a slow start within 30 s of the last fault must be allowed")
        slow.faults[3].end = 11_000
        #expect(broken(slow) == [.rateIsUsed])
    }

    @Test func allowsClusterTimeToDeadLetterAfterNodeFailure() {
        var slow = lastCampaign(aSecond: 75)
        slow.faults.append(FaultRecord(fault: .stopNode(1), start: 5_000, end: 6_000))
        #expect(broken(slow) == [], "six minutes after the failure, delay queues may still keep messages")
        slow.faults[4] = FaultRecord(fault: .stopNode(1), start: -300_000, end: -299_000)
        #expect(broken(slow) == [.rateIsUsed])
    }

    // MARK: Jobs

    @Test func detectsJobAboveOwnRate() {
        #expect(broken(record(1_000, aSecond: 40) { $0.rate = 40 }) == [])
        #expect(broken(record(1_000, aSecond: 200) { $0.rate = 40 }) == [.paced])
        #expect(broken(record(1_000, aSecond: 200) { $0.rate = 100 }) == [], "each worker may send a burst")
        let once = record(1_000, aSecond: 200) {
            $0.rate = 40
            $0.isAtMostOnce = true
        }
        #expect(broken(once) == [], "chunks of 500 may exceed the rate")
    }

    @Test func detectsPushAfterCancellation() {
        var record = record(300, aSecond: 10) { $0.cancelAfter = 3_000 }
        record.jobs[7]?.cancelled = 53_500
        #expect(broken(record) == [], "pushes may arrive for 7 s after a cancellation")
        record.jobs[7]?.cancelled = 50_000
        #expect(broken(record) == [.cancelledStop])
        record.faults = [FaultRecord(fault: .blackHole(.database, worker: 2), start: 52_000, end: 57_000)]
        #expect(broken(record) == [], "a worker could not learn of the cancellation")
    }
}
