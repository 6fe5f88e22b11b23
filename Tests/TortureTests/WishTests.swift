import Testing
import TortureRun

/// What is asked for a job beyond the ordinary: each invariant is seen to fail, on made-up records.
struct WishTests {
    private let recipient = RecipientID(job: 7, index: 0)

    /// One confirmed job for one recipient, sent to at this time.
    private func record(sentAt: Int64? = 1_100, _ change: (inout JobTraits) -> Void = { _ in }) -> TortureRecord {
        var traits = JobTraits()
        change(&traits)
        var record = TortureRecord()
        record.jobs[7] = JobRecord(
            traits: traits, recipients: [.plain], published: 1_000, sendAt: traits.sendAfter.map { 1_000 + Int64($0) },
            confirmed: 1_010)
        if let sentAt { record.send(recipient, at: sentAt) }
        return record
    }

    private func broken(_ record: TortureRecord) -> Set<Invariant> { Set(Verdict(record).findings.map(\.invariant)) }

    private let crash = FaultRecord(fault: .killWorker(2), start: 1_115, end: 1_500)

    // MARK: send_at

    @Test func nothingIsSentBeforeItsTime() {
        #expect(broken(record(sentAt: 6_000) { $0.sendAfter = 5_000 }) == [])
        #expect(broken(record(sentAt: 5_999) { $0.sendAfter = 5_000 }) == [.neverEarly])
    }

    @Test func whereNothingGoesWrongItIsSentOnTime() {
        var late = record(sentAt: 8_001) { $0.sendAfter = 5_000 }
        #expect(broken(late) == [.onTime])
        #expect(Verdict(late).tally.lateness == [2_001])
        late.faults = [FaultRecord(fault: .apnsDown, start: 5_000, end: 7_000)]
        #expect(broken(late) == [])
    }

    // MARK: expires_at

    private func expiring(at deadline: Int64?, sentAt: Int64?) -> TortureRecord {
        var record = record(sentAt: sentAt) { $0.expireAfter = deadline.map { Int($0) } }
        record.jobs[7]?.expiresAt = deadline
        if sentAt == nil {
            record.outcomes = [.init(recipient: recipient, kind: "expired", at: 10_000, received: 10_010, event: 0)]
        }
        return record
    }

    @Test func nothingIsSentAfterItsDeadline() {
        #expect(broken(expiring(at: 5_000, sentAt: 7_000)) == [], "it may be on its way for a while")
        var late = expiring(at: 5_000, sentAt: 7_001)
        #expect(broken(late) == [.neverLate])
        late.faults = [FaultRecord(fault: .freezeWorker(2), start: 4_000, end: 5_500)]
        #expect(broken(late) == [])
        late.faults = [FaultRecord(fault: .freezeWorker(2), start: 1_000, end: 4_900)]
        #expect(broken(late) == [.neverLate], "that was over")
        late.faults = [FaultRecord(fault: .killWorker(2), start: 4_000, end: 5_500)]
        #expect(broken(late) == [.neverLate], "that makes nothing late")
        #expect(broken(expiring(at: 0, sentAt: 7_001)) == [], "now or never: there is no time after it")
    }

    @Test func onlyWhatHasADeadlineExpires() {
        #expect(broken(expiring(at: 9_000, sentAt: nil)) == [])
        #expect(broken(expiring(at: 15_000, sentAt: nil)) == [], "tried again, it would have been too late")
        #expect(broken(expiring(at: 15_001, sentAt: nil)) == [.honest])
        #expect(broken(expiring(at: 0, sentAt: nil)) == [])
        #expect(broken(expiring(at: nil, sentAt: nil)) == [.honest])
    }

    // MARK: Cancelled

    private func cancelled(at time: Int64?, sentAt: Int64?) -> TortureRecord {
        var record = record(sentAt: sentAt) {
            $0.cancelAfter = 0
            $0.sendAfter = 20_000
        }
        record.jobs[7]?.cancelled = time
        if sentAt == nil {
            record.outcomes = [
                .init(recipient: recipient, kind: "failed", reason: "Cancelled", at: 21_010, received: 21_020, event: 0)
            ]
        }
        return record
    }

    @Test func whatIsCancelledInTimeIsNotSent() {
        let good = Verdict(cancelled(at: 1_100, sentAt: nil))
        #expect(good.isGood, "\(good.findings)")
        #expect(good.tally.cancelledInTime == 1)
        #expect(broken(cancelled(at: 1_100, sentAt: 21_010)) == [.cancelledStay])
        #expect(broken(cancelled(at: 16_001, sentAt: 21_010)) == [], "workers have five seconds to hear of it")
        #expect(broken(cancelled(at: nil, sentAt: 21_010)) == [], "the database never had it")
    }

    @Test func workersMustHaveBeenAbleToHearOfIt() {
        var record = cancelled(at: 1_100, sentAt: 21_010)
        record.faults = [FaultRecord(fault: .stopServers(.postgres), start: 1_200, end: 12_000)]
        #expect(broken(record) == [], "ends 5 s too late for its aftermath and theirs")
        record.faults[0].end = 10_900
        #expect(broken(record) == [.cancelledStay])
        record.faults = [
            FaultRecord(fault: .freezeWorker(1), start: 5_000, end: 11_500),
            FaultRecord(fault: .cut(.database, worker: 2), start: 15_000, end: 15_000),
        ]
        #expect(broken(record) == [])
        record.faults[0].start = 6_200
        #expect(broken(record) == [.cancelledStay], "5 s of quiet came first")
        record.faults = [FaultRecord(fault: .apnsDown, start: 1_000, end: 21_000)]
        #expect(broken(record) == [.cancelledStay], "APNs has nothing to do with it")
    }

    @Test func onlyWhatWasCancelledSaysSo() {
        var record = cancelled(at: 1_100, sentAt: nil)
        record.jobs[7]?.traits.cancelAfter = nil
        record.jobs[7]?.cancelled = nil
        #expect(broken(record) == [.honest])
    }

    @Test func aCancelledRecipientHasAnOutcome() {
        var record = cancelled(at: 1_100, sentAt: nil)
        record.outcomes = []
        #expect(broken(record) == [.nothingLost])
    }

    // MARK: Twice

    @Test func whatIsPublishedTwiceIsSentOnce() {
        var record = record { $0.publishAgainAfter = 500 }
        #expect(broken(record) == [])
        record.send(recipient, at: 2_000)
        #expect(broken(record) == [.duplicatesOwnUp, .duplicatesExplained, .arrivalsExplained, .duplicatesBounded])
        var twice = record
        twice.limits.deduplicates = false
        #expect(broken(twice) == [], "nobody wants it sent once")
        twice.jobs[7]?.traits.isAtMostOnce = true
        #expect(broken(twice).contains(.atMostOnce))
        record.outcomes[1].isRedelivered = true
        record.faults = [crash]
        #expect(broken(record) == [], "a worker died with one of them")
    }

    // MARK: Problems only

    @Test func whoWantsProblemsOnlyHearsNothingOfWhatWasSent() {
        var record = record { $0.wantsProblemsOnly = true }
        #expect(broken(record) == [.honest])
        record.outcomes = []
        #expect(broken(record) == [])
        record.sightings.removeLast()
        #expect(broken(record) == [.nothingLost], "APNs has not accepted it")
    }

    @Test func anotherRunMayHaveSentItUntold() {
        var record = record { $0.wantsProblemsOnly = true }
        record.outcomes[0].kind = "failed"
        record.outcomes[0].reason = "RetriesExhausted"
        #expect(broken(record) == [.honest])
        record.faults = [crash]
        #expect(broken(record) == [], "there may be one that is 'redelivered', and sent")
        record.jobs[7]?.traits.wantsProblemsOnly = false
        #expect(broken(record) == [.honest], "that would have been told")
    }

    @Test func aSecondRequestOfWhichNobodyHearsNeedsACause() {
        var record = record { $0.wantsProblemsOnly = true }
        record.send(recipient, at: 2_000)
        record.outcomes = []
        #expect(broken(record) == [.arrivalsExplained, .duplicatesBounded])
        record.faults = [FaultRecord(fault: .cutPushes, start: 1_500, end: 1_500)]
        #expect(broken(record) == [])
        record.faults = [crash]
        #expect(broken(record) == [])
    }

    // MARK: Unusable

    private func unusable(_ flaw: JobFlaw, reason: String? = nil) -> TortureRecord {
        var record = record(sentAt: nil) { $0.flaw = flaw }
        record.dead = [DeadRecord(job: 7, reason: reason ?? "x: \(flaw.reason)")]
        record.rejections = [RejectionRecord(job: 7, received: 1_100)]
        return record
    }

    @Test func whatCantBeUsedIsDeadLetteredAndTold() {
        var record = unusable(.unknownField)
        let verdict = Verdict(record)
        #expect(verdict.isGood, "\(verdict.findings)")
        #expect(verdict.tally.unusableJobs == 1 && verdict.tally.deadLettered == 1)
        record.dead = []
        #expect(broken(record) == [.unusableAreDead])
        record = unusable(.unknownField)
        record.rejections = []
        #expect(broken(record) == [.rejectionsAreTold])
        #expect(broken(unusable(.unknownField, reason: "delivery_limit")) == [.unusableAreDead])
        #expect(broken(unusable(.unknownLane)) == [])
        #expect(broken(unusable(.unknownLane, reason: "")) == [.unusableAreDead], "no worker saw it")
    }

    @Test func whatCantBeUsedIsCountedExactly() {
        var record = unusable(.brokenJSON)
        record.dead.append(record.dead[0])
        record.rejections.append(record.rejections[0])
        #expect(broken(record) == [.unusableAreDead, .rejectionsAreTold])
        record.faults = [crash]
        #expect(broken(record) == [], "its worker died before it was acknowledged")
    }

    @Test func whatCanBeUsedIsNotDeadLettered() {
        var record = record()
        record.dead = [DeadRecord(job: 7, reason: "delivery_limit")]
        #expect(broken(record) == [.unusableAreDead])
        record.dead = [DeadRecord(job: nil, reason: "")]
        #expect(broken(record) == [.unusableAreDead])
        record.dead = []
        record.rejections = [RejectionRecord(job: 7)]
        #expect(broken(record) == [.rejectionsAreTold])
    }
}

extension TortureRecord {
    /// A request that is accepted, and its outcome.
    fileprivate mutating func send(_ recipient: RecipientID, at time: Int64) {
        sightings += [
            .init(recipient: recipient, what: .arrived, at: time),
            .init(recipient: recipient, what: .answered(200), at: time + 10),
        ]
        outcomes.append(
            .init(recipient: recipient, kind: "sent", at: time + 20, received: time + 30, event: outcomes.count))
    }
}
