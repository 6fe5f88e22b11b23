import Testing
import TortureRun

/// Tests of the invariants about brokers, publishers and workers, on constructed records that violate them.
struct BrokerAndWorkerTests {
    private let recipient = RecipientID(job: 7, index: 0)

    /// Returns the record of a confirmed job that was sent to its only recipient.
    private func record(_ change: (inout JobTraits) -> Void = { _ in }) -> TortureRecord {
        var traits = JobTraits()
        change(&traits)
        var record = TortureRecord()
        record.jobs[7] = JobRecord(traits: traits, recipients: [.plain], published: 1_000, confirmed: 1_010)
        record.run(recipient, at: 1_100)
        return record
    }

    private func broken(_ record: TortureRecord) -> Set<Invariant> { Set(Verdict(record).findings.map(\.invariant)) }

    // MARK: A full queue

    private func refused(_ times: Int) -> TortureRecord {
        var record = record()
        record.faults = [FaultRecord(fault: .fullQueue, start: 1_100, end: 6_000)]
        for time in 1...times {
            var again = record.outcomes[0]
            (again.isRepeated, again.received) = (true, 1_130 + Int64(time) * 1_000)
            record.outcomes.append(again)
        }
        return record
    }

    @Test func limitsRepeatedEventsOfFullQueue() {
        #expect(broken(refused(2)) == [], "two refusals are possible within 6 s")
        #expect(broken(refused(3)) == [.repeatedEventsBounded])
        var record = refused(3)
        record.faults.append(FaultRecord(fault: .cut(.broker, worker: 1), start: 2_000, end: 2_000))
        #expect(broken(record) == [], "a confirm may have been lost")
        record.faults[0].end = 60_000
        record.faults.removeLast()
        #expect(broken(record) == [], "the queue was full for longer")
    }

    @Test func detectsOversizedEvent() {
        var record = record()
        record.largestEvent = 262_144
        #expect(broken(record) == [])
        record.largestEvent += 1
        #expect(broken(record) == [.eventsBounded])
    }

    // MARK: Mistakes of publishers

    @Test func detectsJobSentMoreOftenThanPublished() {
        var record = record { $0.slip = .copyInAnotherLane }
        record.limits.deduplicates = false
        record.run(recipient, at: 2_000)
        #expect(broken(record) == [], "the broker made two messages of the job")
        record.run(recipient, at: 3_000)
        #expect(broken(record) == [.notMultiplied])
        record.jobs[7]?.timesRepeated = 1
        #expect(broken(record) == [], "the publisher repeated the job")
    }

    @Test func requiresRejectionOfDroppedJob() {
        var record = record { $0.slip = .expiration }
        (record.sightings, record.outcomes) = ([], [])
        record.dead = [DeadRecord(job: 7, reason: "message: expired in martlet.jobs.bulk before a worker received it")]
        record.rejections = [RejectionRecord(job: 7, received: 1_100)]
        #expect(broken(record) == [])
        record.rejections = []
        #expect(broken(record) == [.nothingLost, .unusableAreDead])
        record.rejections = [RejectionRecord(job: 7, received: 1_100)]
        record.dead[0].reason = ""
        #expect(broken(record) == [.unusableAreDead], "the reason of the worker is missing")
        record.jobs[7]?.traits.slip = nil
        #expect(broken(record) == [.nothingLost, .unusableAreDead, .rejectionsAreReported])
    }

    @Test func detectsSuspectWithoutEnoughDeliveries() {
        var record = record { $0.slip = .brokersWord }
        record.suspects = [SuspectRecord(job: 7, received: 9_000)]
        #expect(broken(record) == [.suspectsJustified])
        record.faults = (1...5).map {
            FaultRecord(fault: .killWorker(2), start: 1_000 * Int64($0), end: 1_000 * Int64($0))
        }
        #expect(broken(record) == [])
    }

    // MARK: Large jobs

    /// Returns the record of a job with 2,000 recipients.
    ///
    /// - Parameter ids: the number of recipients with an outcome under each id.
    private func giant(_ ids: [String: Int]) -> TortureRecord {
        var record = TortureRecord()
        var traits = JobTraits()
        traits.identity = .none
        record.jobs[7] = JobRecord(
            traits: traits, recipients: Array(repeating: .plain, count: 2_000), published: 1_000)
        for (id, reported) in ids {
            for index in 0..<reported { record.run(RecipientID(job: 7, index: index), at: 2_000, madeUpID: id) }
        }
        return record
    }

    private func hasSeveralNames(_ record: TortureRecord) -> Bool { broken(record).contains(.namedOnce) }

    @Test func detectsLargeJobWithTwoNames() {
        #expect(broken(giant(["a": 2_000])) == [])
        var record = giant(["a": 2_000, "b": 2_000])
        #expect(hasSeveralNames(record))
        record.faults = [FaultRecord(fault: .killWhileSplitting(0), start: 900, end: 3_000)]
        #expect(hasSeveralNames(record), "the job had its name before the fault ended")
        record.faults.append(FaultRecord(fault: .freezeWorker(1), start: 2_050, end: 7_000))
        #expect(hasSeveralNames(record), "the job had its name before the freeze")
        record.faults[1].start = 1_050
        #expect(!hasSeveralNames(record), "the naming worker was lost")
        record = giant(["a": 2_000, "b": 2_000])
        record.jobs[7]?.timesRepeated = 1
        #expect(!hasSeveralNames(record), "two messages may have two names")
    }

    @Test func detectsLargeJobSplitWithoutName() {
        var record = giant(["a": 2_000, "b": 1_999])
        record.faults = [FaultRecord(fault: .freezeWorker(1), start: 1_050, end: 7_000)]
        #expect(hasSeveralNames(record), "the job was split without a name")
        record.jobs[7]?.traits.expireAfter = 0
        #expect(!hasSeveralNames(record), "the job expired before it was named")
        record.jobs[7]?.traits = JobTraits()
        record.jobs[7]?.traits.identity = .none
        record.jobs[7]?.traits.wantsProblemsOnly = true
        #expect(!hasSeveralNames(record), "sent outcomes are not published")
    }

    // MARK: Workers

    @Test func detectsConsumerTimeout() {
        var record = record()
        record.timeouts = ["worker 1: PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out"]
        #expect(broken(record) == [.acknowledgedInTime])
    }

    @Test func detectsIdleWorkerThatJoined() {
        var record = record()
        record.joins = [JoinRecord(worker: 4, ready: 1_000, firstOutcome: 9_000, left: 10)]
        #expect(broken(record) == [])
        record.joins[0].firstOutcome = 9_001
        #expect(broken(record) == [.latecomersWork])
        record.joins[0].firstOutcome = nil
        #expect(broken(record) == [.latecomersWork])
        record.joins[0].left = 0
        #expect(broken(record) == [], "there was no work left")
        record.joins[0].ready = nil
        #expect(broken(record) == [.latecomersWork])
    }
}

extension TortureRecord {
    /// Adds an accepted request and its outcome.
    fileprivate mutating func run(_ recipient: RecipientID, at time: Int64, madeUpID: String? = nil) {
        sightings += [
            .init(recipient: recipient, what: .arrived, at: time),
            .init(recipient: recipient, what: .answered(200), at: time + 10),
        ]
        outcomes.append(
            .init(
                recipient: recipient, kind: "sent", madeUpID: madeUpID, at: time + 20, received: time + 30,
                event: outcomes.count))
    }
}
