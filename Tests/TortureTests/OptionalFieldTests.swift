import Testing
import TortureRun

/// Tests of the invariants about optional fields of jobs, on constructed records that violate them.
struct OptionalFieldTests {
    private let recipient = RecipientID(job: 7, index: 0)

    /// Returns the record of a confirmed job with one recipient. Its push was sent at `sentAt`, or never if `sentAt` is
    /// `nil`.
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

    @Test func detectsPushBeforeSendAt() {
        #expect(broken(record(sentAt: 6_000) { $0.sendAfter = 5_000 }) == [])
        #expect(broken(record(sentAt: 5_999) { $0.sendAfter = 5_000 }) == [.neverEarly])
    }

    @Test func detectsLatePushWithoutFault() {
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

    @Test func detectsPushAfterDeadline() {
        #expect(broken(expiring(at: 5_000, sentAt: 7_000)) == [], "a push may be in transit for 2 s")
        var late = expiring(at: 5_000, sentAt: 7_001)
        #expect(broken(late) == [.neverLate])
        late.faults = [FaultRecord(fault: .freezeWorker(2), start: 4_000, end: 5_500)]
        #expect(broken(late) == [])
        late.faults = [FaultRecord(fault: .freezeWorker(2), start: 1_000, end: 4_900)]
        #expect(broken(late) == [.neverLate], "the freeze ended before the deadline")
        late.faults = [FaultRecord(fault: .killWorker(2), start: 4_000, end: 5_500)]
        #expect(broken(late) == [.neverLate], "a killed worker delays no push")
        #expect(broken(expiring(at: 0, sentAt: 7_001)) == [], "with 0, no push can be late")
    }

    @Test func detectsExpiredOutcomeWithoutDeadline() {
        #expect(broken(expiring(at: 9_000, sentAt: nil)) == [])
        #expect(broken(expiring(at: 15_000, sentAt: nil)) == [], "a retry would have been too late")
        #expect(broken(expiring(at: 15_001, sentAt: nil)) == [.honest])
        #expect(broken(expiring(at: 0, sentAt: nil)) == [])
        #expect(broken(expiring(at: nil, sentAt: nil)) == [.honest])
    }

    // MARK: Cancellation

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

    @Test func detectsPushOfCancelledJob() {
        let good = Verdict(cancelled(at: 1_100, sentAt: nil))
        #expect(good.isGood, "\(good.findings)")
        #expect(good.tally.cancelledInTime == 1)
        #expect(broken(cancelled(at: 1_100, sentAt: 21_010)) == [.cancelledStay])
        #expect(broken(cancelled(at: 16_001, sentAt: 21_010)) == [], "workers have 5 s to learn of it")
        #expect(broken(cancelled(at: nil, sentAt: 21_010)) == [], "the cancellation was not stored")
    }

    @Test func allowsWorkersTimeToLearnCancellation() {
        var record = cancelled(at: 1_100, sentAt: 21_010)
        record.faults = [FaultRecord(fault: .stopServers(.postgres), start: 1_200, end: 12_000)]
        #expect(broken(record) == [], "workers had too little time after the outage")
        record.faults[0].end = 10_900
        #expect(broken(record) == [.cancelledStay])
        record.faults = [
            FaultRecord(fault: .freezeWorker(1), start: 5_000, end: 11_500),
            FaultRecord(fault: .cut(.database, worker: 2), start: 15_000, end: 15_000),
        ]
        #expect(broken(record) == [])
        record.faults[0].start = 6_200
        #expect(broken(record) == [.cancelledStay], "there were 5 s without faults before")
        record.faults = [FaultRecord(fault: .apnsDown, start: 1_000, end: 21_000)]
        #expect(broken(record) == [.cancelledStay], "an APNs outage is no excuse")
    }

    @Test func detectsCancelledOutcomeWithoutCancellation() {
        var record = cancelled(at: 1_100, sentAt: nil)
        record.jobs[7]?.traits.cancelAfter = nil
        record.jobs[7]?.cancelled = nil
        #expect(broken(record) == [.honest])
    }

    @Test func requiresOutcomeOfCancelledRecipient() {
        var record = cancelled(at: 1_100, sentAt: nil)
        record.outcomes = []
        #expect(broken(record) == [.nothingLost])
    }

    // MARK: Repeated jobs

    @Test func detectsJobPublishedTwiceAndSentTwice() {
        var record = record { $0.publishAgainAfter = 500 }
        #expect(broken(record) == [])
        record.send(recipient, at: 2_000)
        #expect(broken(record) == [.duplicatesAreMarked, .duplicatesExplained, .arrivalsExplained])
        var twice = record
        twice.limits.deduplicates = false
        #expect(broken(twice) == [], "deduplication is off")
        twice.jobs[7]?.traits.isAtMostOnce = true
        #expect(broken(twice).contains(.atMostOnce))
        record.outcomes[1].isRedelivered = true
        record.faults = [crash]
        #expect(broken(record) == [], "a worker crashed during one of them")
    }

    // MARK: Problems only

    @Test func detectsSentOutcomeOfProblemsOnlyJob() {
        var record = record { $0.wantsProblemsOnly = true }
        #expect(broken(record) == [.honest])
        record.outcomes = []
        #expect(broken(record) == [])
        record.sightings.removeLast()
        #expect(broken(record) == [.nothingLost], "APNs must have accepted the push")
    }

    @Test func allowsUnreportedPushOfRedeliveredProblemsOnlyJob() {
        var record = record { $0.wantsProblemsOnly = true }
        record.outcomes[0].kind = "failed"
        record.outcomes[0].reason = "RetriesExhausted"
        #expect(broken(record) == [.honest])
        record.faults = [crash]
        #expect(broken(record) == [], "the redelivered job may have been sent")
        record.jobs[7]?.traits.wantsProblemsOnly = false
        #expect(broken(record) == [.honest], "a sent outcome would have been published")
    }

    @Test func requiresCauseOfUnreportedSecondRequest() {
        var record = record { $0.wantsProblemsOnly = true }
        record.send(recipient, at: 2_000)
        record.outcomes = []
        #expect(broken(record) == [.arrivalsExplained])
        record.faults = [FaultRecord(fault: .cutPushes, start: 1_500, end: 1_500)]
        #expect(broken(record) == [])
        record.faults = [crash]
        #expect(broken(record) == [])
    }

    // MARK: Unusable jobs

    private func unusable(_ flaw: JobFlaw, reason: String? = nil) -> TortureRecord {
        var record = record(sentAt: nil) { $0.flaw = flaw }
        record.dead = [DeadRecord(job: 7, reason: reason ?? "x: \(flaw.reason)")]
        record.rejections = [RejectionRecord(job: 7, received: 1_100)]
        return record
    }

    @Test func requiresDeadLetterAndRejectionOfUnusableJob() {
        var record = unusable(.unknownField)
        let verdict = Verdict(record)
        #expect(verdict.isGood, "\(verdict.findings)")
        #expect(verdict.tally.unusableJobs == 1 && verdict.tally.deadLettered == 1)
        record.dead = []
        #expect(broken(record) == [.unusableAreDead])
        record = unusable(.unknownField)
        record.rejections = []
        #expect(broken(record) == [.rejectionsAreReported])
        #expect(broken(unusable(.unknownField, reason: "delivery_limit")) == [.unusableAreDead])
        #expect(broken(unusable(.unknownLane)) == [])
        #expect(broken(unusable(.unknownLane, reason: "")) == [.unusableAreDead], "the reason of the worker is missing")
    }

    @Test func detectsRepeatedRejectionWithoutCause() {
        var record = unusable(.brokenJSON)
        record.dead.append(record.dead[0])
        record.rejections.append(record.rejections[0])
        #expect(broken(record) == [.unusableAreDead, .rejectionsAreReported])
        record.faults = [crash]
        #expect(broken(record) == [], "the worker crashed before the acknowledgement")
    }

    @Test func detectsDeadLetterOfUsableJob() {
        var record = record()
        record.dead = [DeadRecord(job: 7, reason: "delivery_limit")]
        #expect(broken(record) == [.unusableAreDead])
        record.dead = [DeadRecord(job: nil, reason: "")]
        #expect(broken(record) == [.unusableAreDead])
        record.dead = []
        record.rejections = [RejectionRecord(job: 7)]
        #expect(broken(record) == [.rejectionsAreReported])
    }
}

extension TortureRecord {
    /// Adds an accepted request and its outcome.
    fileprivate mutating func send(_ recipient: RecipientID, at time: Int64) {
        sightings += [
            .init(recipient: recipient, what: .arrived, at: time),
            .init(recipient: recipient, what: .answered(200), at: time + 10),
        ]
        outcomes.append(
            .init(recipient: recipient, kind: "sent", at: time + 20, received: time + 30, event: outcomes.count))
    }
}
