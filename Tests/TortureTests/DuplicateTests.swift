import Testing
import TortureRun

/// Tests of the explanations and bounds of duplicates, on constructed records.
struct DuplicateTests {
    /// Returns the record of jobs that worker 1 sent at 1.1 s. Worker 2 sent each of them again at 9 s.
    private func sentTwice(jobs: Int = 1, recipients: Int = 1, by workers: [Int] = [1, 2]) -> TortureRecord {
        var record = TortureRecord()
        for job in 1...jobs {
            record.jobs[job] = JobRecord(
                recipients: Array(repeating: .plain, count: recipients), published: 1_000, confirmed: 1_010)
            for (index, worker) in workers.enumerated() {
                let time: Int64 = index == 0 ? 1_100 : 9_000
                for recipient in 0..<recipients {
                    record.send(RecipientID(job: job, index: recipient), at: time, by: worker, isRedelivered: index > 0)
                }
            }
        }
        return record
    }

    private func broken(_ record: TortureRecord) -> Set<Invariant> { Set(Verdict(record).findings.map(\.invariant)) }

    private func fault(_ fault: Fault, at time: Int64 = 1_120, until end: Int64? = nil) -> FaultRecord {
        FaultRecord(fault: fault, start: time, end: end ?? time)
    }

    // MARK: Explanations

    @Test func explainsDuplicatesOnlyByFaultOfSameJob() {
        var record = sentTwice()
        #expect(broken(record) == [.duplicatesExplained])
        for cause in [Fault.killWorker(1), .freezeWorker(1), .cut(.broker, worker: 1), .killServers(.rabbitmq)] {
            record.faults = [fault(cause)]
            #expect(broken(record) == [], "\(cause)")
            record.faults = [fault(cause, at: 2_200)]
            #expect(broken(record) == [.duplicatesExplained], "\(cause) came after the acknowledgement")
        }
        record.faults = [fault(.cut(.apns, worker: 1)), fault(.stopServers(.postgres))]
        #expect(broken(record) == [.duplicatesExplained], "no job is redelivered because of such faults")
    }

    @Test func ignoresEarlierFaults() {
        var record = sentTwice()
        record.faults = [fault(.restartWorker(1), at: -9_000, until: -1_100)]
        #expect(broken(record) == [.duplicatesExplained], "the fault ended 2.1 s before the job was published")
        record.faults[0].end = 0
        #expect(broken(record) == [])
    }

    @Test func beginsFaultAtStrike() {
        var record = sentTwice()
        record.faults = [FaultRecord(fault: .killWorker(1), start: 1_100, struck: 2_200, end: 3_000)]
        #expect(broken(record) == [.duplicatesExplained], "the fault waited for the worker until 2.2 s")
        record.faults[0].struck = 1_120
        #expect(broken(record) == [])
    }

    @Test func allowsTimeForEventsOfFullQueue() {
        var record = sentTwice()
        record.faults = [fault(.killWorker(1), at: 3_000), fault(.fullQueue, at: 1_000, until: 2_000)]
        #expect(broken(record) == [], "the job was acknowledged after its event was moved to a delay queue")
        record.faults[1].fault = .lockTokens
        #expect(broken(record) == [.duplicatesExplained])
    }

    @Test func limitsJobsOfWorkerWithoutOutcomes() {
        var record = sentTwice(jobs: 100)
        record.faults = [fault(.killWorker(3))]
        #expect(broken(record) == [], "worker 3 may have moved the jobs")
        #expect(Verdict(record).tally.duplicates.unseenJobs == 100)
        record = sentTwice(jobs: 101)
        record.faults = [fault(.killWorker(3))]
        #expect(broken(record) == [.duplicatesExplained])
        record.faults = [fault(.killWorker(1))]
        #expect(broken(record) == [])
    }

    @Test func requiresCauseOfRequestWithoutReport() {
        var record = sentTwice(by: [1])
        record.send(RecipientID(job: 1, index: 0), at: 1_105, by: nil)
        record.outcomes[0].isRedelivered = true
        #expect(broken(record) == [.duplicatesExplained])
        record.faults = [fault(.killWorker(3))]
        #expect(broken(record) == [], "worker 3 ended before it reported its outcome")
        #expect(Verdict(record).tally.duplicates.unseenJobs == 0)
    }

    // MARK: Bounds

    @Test func limitsDuplicatesOfOneFault() {
        var record = sentTwice(jobs: 5, recipients: 200)
        record.limits.maximumInFlight = 500
        record.faults = [fault(.killWorker(1))]
        #expect(broken(record) == [])
        #expect(Verdict(record).tally.duplicates.mostOfOneFault == 1_000)
        #expect(Verdict(record).tally.duplicates.mostAllowed == 1_000)
        record.limits.maximumInFlight = 499
        #expect(broken(record) == [.duplicatesBounded])
        record.faults.append(fault(.freezeWorker(2)))
        #expect(broken(record) == [], "two faults share the duplicates")
        record.faults = [fault(.killServers(.rabbitmq))]
        #expect(broken(record) == [], "all three workers lost their jobs")
    }

    @Test func rejectsBoundThatCannotFail() {
        var record = sentTwice(recipients: 100)
        record.limits.maximumInFlight = 50
        record.faults = [fault(.killWorker(1))]
        let short = Verdict(record)
        #expect(short.isGood, "\(short.findings)")
        #expect(short.unjudged.contains { $0.invariant == .duplicatesBounded })
        #expect(short.unjudged.contains { $0.invariant == .duplicatesExplained })
        for job in 2...200 {
            record.jobs[job] = JobRecord(recipients: [.plain], published: 50_000, confirmed: 50_010)
            record.send(RecipientID(job: job, index: 0), at: 50_100, by: 1)
        }
        let long = Verdict(record)
        #expect(long.isGood, "\(long.findings)")
        #expect(!long.unjudged.contains { $0.invariant == .duplicatesBounded })
        record.limits.maximumInFlight = 150
        #expect(broken(record) == [.notVacuous], "300 duplicates of 299 recipients would be allowed")
        record.limits.maximumInFlight = 40
        record.faults.append(fault(.killServers(.rabbitmq), at: 1_000, until: 50_000))
        #expect(broken(record) == [.notVacuous], "each duplicate would be explained")
    }
}

extension TortureRecord {
    /// Adds an accepted request, and its outcome unless `worker` is `nil`.
    fileprivate mutating func send(
        _ recipient: RecipientID, at time: Int64, by worker: Int?, isRedelivered: Bool = false
    ) {
        sightings += [
            .init(recipient: recipient, what: .arrived, at: time),
            .init(recipient: recipient, what: .answered(200), at: time + 10),
        ]
        guard let worker else { return }
        outcomes.append(
            .init(
                recipient: recipient, kind: "sent", worker: "worker-\(worker)", isRedelivered: isRedelivered,
                at: time + 20, received: time + 30, event: outcomes.count))
    }
}
