import PushModel
import Store
import Testing
import TortureRun

/// Rates of apps and of jobs: that they were not kept to is seen, on made-up records.
struct PaceTests {
    private static let app = Workload.pacedApps.lowerBound

    /// A job of a paced app that is sent to at so many recipients a second from a time on, in milliseconds.
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

    private func set(_ pace: AppPace?, at time: Int64) -> FaultRecord {
        FaultRecord(fault: .setPace(app: Self.app, pace), start: time, end: time + 10)
    }

    private func broken(_ record: TortureRecord) -> Set<Invariant> { Set(Verdict(record).findings.map(\.invariant)) }

    // MARK: Apps

    @Test func anAppIsSentToNoFasterThanItsRate() {
        var record = record(3_300, aSecond: 150)
        record.faults = [set(AppPace(rate: 150), at: 1_000)]
        #expect(broken(record) == [])
        #expect(Verdict(record).tally.fullestWindows.count == 1)
        record.faults = [set(AppPace(rate: 75), at: 1_000)]
        #expect(broken(record) == [.paced])
        record.jobs[7]?.lane = .urgent
        #expect(broken(record) == [], "that one is exempt")
        record.faults = [set(AppPace(rate: 75, includesUrgent: true), at: 1_000)]
        #expect(broken(record) == [.paced])
        record.faults.append(set(nil, at: 31_000))
        #expect(broken(record) == [], "it was taken back")
        record.faults[1] = set(AppPace(rate: 150, includesUrgent: true), at: 31_000)
        #expect(broken(record) == [], "another one")
    }

    @Test func workersMustHaveBeenAbleToHearOfARate() {
        var record = record(3_000, aSecond: 150)
        record.faults = [set(AppPace(rate: 40), at: 15_000)]
        #expect(broken(record) == [.paced])
        record.faults = [set(AppPace(rate: 40), at: 26_000)]
        #expect(broken(record) == [], "they have begun with what came within five seconds, and its requests come in")
        record.faults = [
            set(AppPace(rate: 40), at: 15_000),
            FaultRecord(fault: .failOver(isPlanned: true), start: 15_000, end: 30_000),
        ]
        #expect(broken(record) == [], "the database was away")
    }

    @Test func whatAServiceKeptBackMayComeAtOnce() {
        var record = record(3_000, aSecond: 150)
        record.faults = [set(AppPace(rate: 75), at: 1_000)]
        #expect(broken(record) == [.paced])
        for fault in [Fault.apnsDown, .silence(all: true), .blackHole(.apns, worker: 2)] {
            record.faults = [record.faults[0], FaultRecord(fault: fault, start: 15_000, end: 29_000)]
            #expect(broken(record) == [], "\(fault)")
        }
        record.faults[1].start = 28_000
        #expect(broken(record) == [.paced], "no more than what was sent within two seconds")
        record.faults[1] = FaultRecord(fault: .service(.fcm, .down), start: 15_000, end: 29_000)
        #expect(broken(record) == [.paced], "another service")
        record.faults[1] = FaultRecord(fault: .cutPushes, start: 29_000, end: 29_010)
        #expect(broken(record) == [.paced], "that keeps nothing back")
        record.faults[1] = FaultRecord(fault: .streamLimit(1), start: 5_000, end: 5_000)
        record.faults.append(FaultRecord(fault: .rotateCredential(app: 0), start: 60_000, end: 60_000))
        #expect(broken(record) == [], "the limit still stands")
        record.faults.append(FaultRecord(fault: .streamLimit(100), start: 8_000, end: 8_000))
        #expect(broken(record) == [.paced])
    }

    @Test func whatWasDisownedDoesNotCount() {
        var record = record(3_000, aSecond: 150)
        record.faults = [set(AppPace(rate: 75), at: 1_000)]
        for index in 0..<3_000 where index.isMultiple(of: 2) {
            record.sightings.append(.init(recipient: RecipientID(job: 7, index: index), what: .disowned, at: 60_000))
        }
        #expect(!broken(record).contains(.paced))
    }

    // MARK: Last campaigns

    /// From 41 s on, with faults until 30 s.
    private func lastCampaign(_ recipients: Int = 12_000, aSecond rate: Int) -> TortureRecord {
        var record = record(
            recipients, aSecond: rate, from: 41_000, of: JobNumber.campaign(JobNumber.lastCampaign(0), 0))
        for number in record.jobs.keys { record.jobs[number]?.published = 40_900 }
        record.faults = [
            FaultRecord(fault: .streamLimit(1), start: 12_000, end: 12_010),
            FaultRecord(fault: .apnsDown, start: 22_000, end: 29_900),
            FaultRecord(fault: .streamLimit(1_000), start: 30_000, end: 30_010),
            set(AppPace(rate: 150), at: 30_020),
        ]
        return record
    }

    @Test func aLastCampaignIsSentAtItsRate() {
        let tally = Verdict(lastCampaign(aSecond: 150)).tally
        #expect(broken(lastCampaign(aSecond: 150)) == [])
        #expect(Array(tally.emptiest.values) == [100])
        #expect(tally.fullestWindows.count == 2)
    }

    @Test(arguments: [200, 600, 12_000])
    func anUnpacedLastCampaignIsSeenWhateverWentWrongBefore(rate: Int) {
        #expect(broken(lastCampaign(aSecond: rate)) == [.paced])
    }

    @Test func aLastCampaignIsNotStarved() {
        #expect(broken(lastCampaign(aSecond: 75)) == [.rateIsUsed], "half the rate")
        #expect(broken(lastCampaign(1_800, aSecond: 75)) == [], "never was there much for long")
        var unknown = lastCampaign(aSecond: 75)
        unknown.faults[3].note = "timed out"
        #expect(broken(unknown) == [], "nobody knows whether that is the rate")
    }

    @Test func aWorkerMayTakeAWhileToComeBackToTheBroker() {
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
        #expect(broken(slow) == [], "half the rate for 15 s, less than 30 s after the last fault")
        slow.faults[3].end = 11_000
        #expect(broken(slow) == [.rateIsUsed])
    }

    // MARK: Jobs

    @Test func aJobIsSentNoFasterThanItsOwnRate() {
        #expect(broken(record(1_000, aSecond: 40) { $0.rate = 40 }) == [])
        #expect(broken(record(1_000, aSecond: 200) { $0.rate = 40 }) == [.paced])
        #expect(broken(record(1_000, aSecond: 200) { $0.rate = 100 }) == [], "by bursts, of each worker")
        let once = record(1_000, aSecond: 200) {
            $0.rate = 40
            $0.isAtMostOnce = true
        }
        #expect(broken(once) == [], "in parts of 500")
    }

    @Test func ofAJobThatIsCancelledNothingIsSentLater() {
        var record = record(300, aSecond: 10) { $0.cancelAfter = 3_000 }
        record.jobs[7]?.cancelled = 53_500
        #expect(broken(record) == [], "the last came in less than seven seconds later")
        record.jobs[7]?.cancelled = 50_000
        #expect(broken(record) == [.cancelledStop])
        record.faults = [FaultRecord(fault: .blackHole(.database, worker: 2), start: 52_000, end: 57_000)]
        #expect(broken(record) == [], "one had no way to hear of it")
    }
}
