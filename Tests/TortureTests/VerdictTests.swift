import Testing
import TortureRun

/// Tests of each invariant, on constructed records that violate it.
struct VerdictTests {
    /// Returns the record of a confirmed job without faults.
    private func calm(_ kinds: [RecipientKind] = [.plain], atMostOnce: Bool = false) -> TortureRecord {
        var record = TortureRecord()
        var traits = JobTraits()
        traits.isAtMostOnce = atMostOnce
        record.jobs[7] = JobRecord(traits: traits, recipients: kinds, published: 1_000, confirmed: 1_010)
        for (index, kind) in kinds.enumerated() {
            let recipient = RecipientID(job: 7, index: index)
            record.sightings += [.init(recipient: recipient, what: .arrived, at: 1_100)]
            let (status, outcome) =
                switch kind {
                case .dead: (410, "unregistered")
                case .bad: (400, "rejected")
                case .refusedForNow: (503, "failed")
                case .plain, .slow, .silent: (200, "sent")
                }
            record.sightings.append(.init(recipient: recipient, what: .answered(status), at: 1_110))
            record.outcomes.append(
                .init(
                    recipient: recipient, kind: outcome, reason: outcome == "failed" ? "RetriesExhausted" : nil,
                    at: 1_120, received: 1_130, event: index))
            if kind == .dead { record.marked.insert(recipient) }
        }
        return record
    }

    private let recipient = RecipientID(job: 7, index: 0)

    private func broken(_ record: TortureRecord) -> Set<Invariant> { Set(Verdict(record).findings.map(\.invariant)) }

    /// Adds a second arrival and a second outcome, as after a crash.
    private func sendAgain(_ record: inout TortureRecord, isRedelivered: Bool = true) {
        record.sightings += [
            .init(recipient: recipient, what: .arrived, at: 2_000),
            .init(recipient: recipient, what: .answered(200), at: 2_010),
        ]
        record.outcomes.append(
            .init(
                recipient: recipient, kind: "sent", isRedelivered: isRedelivered, at: 2_020, received: 2_030, event: 99)
        )
    }

    private let crash = FaultRecord(fault: .killWorker(1), start: 1_115, end: 1_500)

    @Test func acceptsRunWithoutFaults() {
        let verdict = Verdict(calm([.plain, .slow, .dead, .bad, .refusedForNow]))
        #expect(verdict.isGood, "\(verdict.findings)")
        #expect(verdict.tally.recipients == 5)
        let outcomes = [
            "sent (plain)": 1, "sent (slow)": 1, "unregistered (dead)": 1, "rejected (bad)": 1,
            "failed (refusedForNow)": 1,
        ]
        #expect(verdict.tally.outcomes == outcomes)
    }

    @Test func detectsMarkOfBadToken() {
        var record = calm([.bad])
        record.marked = [recipient]
        #expect(broken(record) == [.deadAreMarked])
    }

    @Test func detectsMarkWithoutAnswerOfService() {
        var record = calm([.dead])
        record.sightings[1].what = .answered(400)
        #expect(broken(record) == [.deadAreMarked], "status 400 must not mark a token")
        record.jobs[7]?.output = .fcm
        record.sightings[1].what = .answered(404)
        #expect(broken(record) == [])
        record.sightings[1].what = .answered(410)
        #expect(broken(record) == [.deadAreMarked], "status 410 of FCM must not mark a token")
    }

    @Test func assignsMarkToRecipientOfOutput() {
        var record = calm([.dead])
        let address = "dead0410" + String(repeating: "0", count: 52) + "e000"
        record.marked = []
        record.mark(address, of: "apns")
        #expect(record.marked == [recipient] && broken(record) == [])
        record.mark(address, of: "fcm")
        #expect(broken(record) == [.understood], "the address belongs to another output")
        record.oddities = []
        record.mark("nobody", of: "apns")
        #expect(broken(record) == [.understood])
    }

    /// Returns the record of an FCM message that was refused temporarily and accepted at a retry.
    private func refusedForNow(retriedAt time: Int64) -> TortureRecord {
        var record = calm()
        record.jobs[7]?.output = .fcm
        record.limits.longestDelay = 10_000
        record.outcomes[0].attempts = 2
        record.sightings = [
            .init(recipient: recipient, what: .arrived, at: 1_000),
            .init(recipient: recipient, what: .answered(503), at: 1_010),
            .init(recipient: recipient, what: .arrived, at: time),
            .init(recipient: recipient, what: .answered(200), at: time + 10),
        ]
        return record
    }

    @Test func detectsRetryBeforeRequestedDelay() {
        #expect(broken(refusedForNow(retriedAt: 11_010)) == [])
        var record = refusedForNow(retriedAt: 11_009)
        #expect(broken(record) == [.retriedInTime])
        record.faults = [crash]
        #expect(broken(record) == [], "after a crash, the next worker does not know the delay")
        record.faults = []
        record.limits.longestDelay = 4_000
        #expect(broken(record) == [], "no delay queue is long enough")
        record.limits.longestDelay = 10_000
        record.jobs[7]?.output = .apns
        #expect(broken(record) == [], "APNs requests no delay")
    }

    @Test func acceptsSenderMismatchAsRejection() {
        var record = calm()
        record.jobs[7]?.output = .fcm
        record.sightings[1].what = .answered(403)
        (record.outcomes[0].kind, record.outcomes[0].reason) = ("rejected", "SENDER_ID_MISMATCH")
        #expect(broken(record) == [])
        record.outcomes[0].reason = "PERMISSION_DENIED"
        #expect(broken(record) == [.honest], "a permission error belongs to the credential")
        record.outcomes[0].reason = "SENDER_ID_MISMATCH"
        record.sightings[1].what = .answered(503)
        #expect(broken(record) == [.honest], "the service did not report a mismatch")
    }

    @Test func excusesOnlyPushesOfFaultyService() {
        var record = calm()
        record.jobs[7]?.traits.wantsProblemsOnly = true
        record.outcomes = []
        record.sightings += [
            .init(recipient: recipient, what: .arrived, at: 2_000),
            .init(recipient: recipient, what: .answered(200), at: 2_010),
        ]
        record.faults = [FaultRecord(fault: .service(.fcm, .cut), start: 1_500, end: 1_500)]
        #expect(broken(record) == [.arrivalsExplained])
        record.jobs[7]?.output = .fcm
        #expect(broken(record) == [])
    }

    @Test func detectsLostRecipient() {
        var record = calm()
        record.outcomes = []
        #expect(broken(record) == [.nothingLost])
        record.jobs[7]?.confirmed = nil
        #expect(broken(record) == [], "an unconfirmed job may be lost")
    }

    @Test func detectsSentOutcomeWithoutAcceptance() {
        var record = calm()
        record.sightings.removeLast()
        #expect(broken(record) == [.honest])
    }

    @Test func detectsFailedOutcomeOfAcceptedPush() {
        var record = calm()
        record.outcomes[0].kind = "failed"
        record.outcomes[0].reason = "RetriesExhausted"
        #expect(broken(record) == [.honest])
    }

    @Test(arguments: ["unregistered", "rejected", "suppressed", "nonsense"])
    func detectsWrongOutcomeOfPlainRecipient(_ kind: String) {
        var record = calm()
        record.outcomes[0].kind = kind
        #expect(broken(record).contains(.honest))
    }

    @Test func acceptsSecondOutcomeAfterCrash() {
        var record = calm()
        sendAgain(&record)
        record.faults = [crash]
        let verdict = Verdict(record)
        #expect(verdict.isGood, "\(verdict.findings)")
        #expect(verdict.tally.recipientsWithSeveralOutcomes == 1)
        #expect(verdict.tally.recipientsWithSeveralArrivals == 1)
    }

    @Test func allowsUnmarkedCopiesOfStoppedNodeUpToABound() {
        var record = calm()
        sendAgain(&record, isRedelivered: false)
        record.faults = [FaultRecord(fault: .stopNode(1), start: crash.start, end: crash.end)]
        let verdict = Verdict(record)
        #expect(verdict.isGood, "\(verdict.findings)")
        #expect(verdict.tally.jobsCopiedByBroker == 1)
        record.faults = [FaultRecord(fault: .killServers(.rabbitmq), start: crash.start, end: crash.end)]
        #expect(broken(record) == [.duplicatesAreMarked, .arrivalsExplained], "one node alone")
    }

    @Test func requiresRedeliveredFlagOfSecondOutcome() {
        var record = calm()
        sendAgain(&record, isRedelivered: false)
        record.faults = [crash]
        #expect(broken(record) == [.duplicatesAreMarked, .arrivalsExplained])
        record.jobs[7]?.timesRepeated = 1
        #expect(
            broken(record) == [.duplicatesAreMarked, .arrivalsExplained], "a job with an id must not be sent twice")
        record.jobs[7]?.traits.identity = .none
        #expect(broken(record) == [], "the publisher may have published the job twice")
    }

    @Test func requiresCauseOfSecondOutcome() {
        var record = calm()
        sendAgain(&record)
        #expect(broken(record) == [.duplicatesExplained])
        record.faults = [FaultRecord(fault: .killWorker(1), start: 5_000, end: 6_000)]
        #expect(broken(record) == [.duplicatesExplained], "the fault came later")
        record.faults = [FaultRecord(fault: .goAway(announced: true), start: 1_000, end: 2_000)]
        #expect(broken(record) == [.duplicatesExplained], "GOAWAY causes no redelivery")
    }

    @Test func requiresCauseOfRepeatedEvent() {
        var record = calm()
        var again = record.outcomes[0]
        again.isRepeated = true
        record.outcomes.append(again)
        #expect(broken(record) == [.repeatedEventsExplained])
        record.faults = [FaultRecord(fault: .cut(.broker, worker: 2), start: 1_120, end: 1_120)]
        #expect(broken(record) == [.repeatedEventsExplained], "worker 1 published the event")
        record.faults = [FaultRecord(fault: .killWorker(1), start: 1_120, end: 1_120)]
        #expect(broken(record) == [.repeatedEventsExplained], "a killed worker publishes no event again")
        record.faults = [FaultRecord(fault: .cut(.broker, worker: 1), start: 1_120, end: 1_120)]
        #expect(broken(record) == [], "the confirm may have been lost")
        record.faults = [FaultRecord(fault: .killServers(.rabbitmq), start: 1_100, end: 1_200)]
        let verdict = Verdict(record)
        #expect(verdict.isGood, "\(verdict.findings)")
        #expect(verdict.tally.repeatedEvents == 1)
        #expect(verdict.tally.recipientsWithSeveralOutcomes == 0)
    }

    @Test func requiresAttemptCountOfSecondRequest() {
        var record = calm()
        record.faults = [FaultRecord(fault: .cutPushes, start: 1_100, end: 1_100)]
        record.sightings.append(.init(recipient: recipient, what: .arrived, at: 1_200))
        #expect(broken(record) == [.arrivalsExplained])
        record.outcomes[0].attempts = 2
        #expect(broken(record) == [])
    }

    @Test func allowsRetryOfUnansweredRequest() {
        var record = calm([.silent])
        record.sightings = [1_100, 2_100].map { .init(recipient: recipient, what: .arrived, at: $0) }
        record.outcomes[0].kind = "unknown"
        record.outcomes[0].attempts = 2
        #expect(broken(record) == [])
        record.jobs[7]?.recipients = [.plain]
        #expect(broken(record) == [.arrivalsExplained])
        record.faults = [FaultRecord(fault: .cutPushes, start: 1_500, end: 1_500)]
        #expect(broken(record) == [], "the answer to the first request was lost")
    }

    @Test(arguments: [SightingRecord.What.disowned, .answered(503)])
    func ignoresUnprocessedRequest(_ what: SightingRecord.What) {
        var record = calm(atMostOnce: true)
        record.faults = [crash]
        record.sightings += [
            .init(recipient: recipient, what: .arrived, at: 1_050), .init(recipient: recipient, what: what, at: 1_060),
        ]
        #expect(broken(record) == [])
    }

    @Test func detectsAtMostOnceJobSentTwice() {
        var record = calm(atMostOnce: true)
        sendAgain(&record)
        record.faults = [crash]
        #expect(broken(record) == [.atMostOnce])
        record.jobs[7]?.timesRepeated = 1
        #expect(broken(record) == [.atMostOnce])
    }

    @Test func requiresMarksOfDeadTokensOnly() {
        var record = calm([.dead])
        record.marked = []
        #expect(broken(record) == [.deadAreMarked])
        record = calm()
        record.marked = [recipient]
        #expect(broken(record) == [.deadAreMarked])
    }

    @Test func detectsFailureByCredential() {
        var record = calm([.refusedForNow])
        record.outcomes[0].reason = "CredentialRefused"
        #expect(broken(record) == [.credentialsHold])
    }

    @Test func detectsMessagesLeftInQueue() {
        var record = calm()
        record.waiting = ["martlet.delay.1": 2, "martlet.jobs.bulk": 0]
        #expect(broken(record) == [.queuesEmpty])
    }

    @Test func detectsWorkerThatEndedUnexpectedly() {
        var record = calm()
        record.workerEnds = [WorkerEnd(worker: 1, at: 1_000, status: 0, wasAsked: true)]
        #expect(broken(record) == [])
        record.workerEnds = [WorkerEnd(worker: 1, at: 1_000, status: 1, wasAsked: true)]
        #expect(broken(record) == [.workersLive])
        record.workerEnds = [WorkerEnd(worker: 1, at: 1_000, status: 1, wasAsked: true, wasHurried: true)]
        #expect(broken(record) == [], "the worker had no time to drain")
        record.workerEnds = [WorkerEnd(worker: 1, at: 1_000, status: 143, wasAsked: true, wasRunning: true)]
        #expect(broken(record) == [.workersLive], "the worker did not drain")
        record.workerEnds = [WorkerEnd(worker: 1, at: 1_000, status: 143, wasAsked: true, wasRunning: false)]
        #expect(broken(record) == [])
        record.workerEnds = [WorkerEnd(worker: 1, at: 1_000, status: 0, wasAsked: false)]
        #expect(broken(record) == [.workersLive])
    }

    @Test func detectsMemoryPeakOrGrowth() {
        func samples(_ kilobytes: (Int) -> Int) -> [MemorySample] {
            (0..<300).map {
                MemorySample(worker: 1, incarnation: 1, at: Int64($0) * 1_000, kilobytes: kilobytes($0))
            }
        }
        var record = calm()
        record.memory = samples { _ in 80_000 }
        #expect(broken(record) == [])
        record.memory = samples { $0 == 10 ? 500_000 : 80_000 }
        #expect(broken(record) == [.memoryFlat], "a peak above the limit must be detected")
        record.memory = samples { 80_000 + $0 * 500 }
        #expect(broken(record) == [.memoryFlat], "growth must be detected")
    }

    @Test func detectsUnsettledRunAndOddities() {
        var record = calm()
        record.isSettled = false
        #expect(broken(record) == [.settled])
        record = calm()
        record.oddities = ["an event without a message id"]
        #expect(broken(record) == [.understood])
        record = calm()
        record.outcomes.append(.init(recipient: RecipientID(job: 8, index: 0), kind: "sent", event: 5))
        #expect(broken(record) == [.understood])
    }
}
