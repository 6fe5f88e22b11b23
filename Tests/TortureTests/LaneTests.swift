import PushModel
import Testing
import TortureRun

/// Tests of the invariants about waiting times in lanes, on constructed records.
struct LaneTests {
    private static let apps = ["com.example.shop", "com.example.news", "com.example.chat", "com.example.bank"]

    /// Returns the record of 240 recipients in one lane.
    ///
    /// - Parameter wait: a closure that returns a recipient's time from publishing to its outcome, given its app and
    ///   its number.
    private func record(
        _ lane: Lane = .urgent, apps: [String] = apps, recipients: Int = 240, _ wait: (String, Int) -> Int64
    ) -> TortureRecord {
        var record = TortureRecord()
        for number in 0..<recipients {
            let (app, id) = (apps[number % apps.count], RecipientID(job: number, index: 0))
            let published = 100_000 + Int64(number) * 100
            record.jobs[number] = JobRecord(
                app: app, lane: lane, recipients: [.plain], published: published, confirmed: published + 10)
            let time = published + wait(app, number)
            record.sightings += [
                .init(recipient: id, what: .arrived, at: time - 20),
                .init(recipient: id, what: .answered(200), at: time - 10),
            ]
            record.outcomes.append(.init(recipient: id, kind: "sent", at: time - 5, received: time, event: number))
        }
        return record
    }

    private func broken(_ record: TortureRecord) -> Set<Invariant> { Set(Verdict(record).findings.map(\.invariant)) }

    private func isUnjudged(_ invariant: Invariant, _ record: TortureRecord, _ lane: Lane = .urgent) -> Bool {
        Verdict(record).unjudged.contains { $0.invariant == invariant && $0.text.contains(lane.rawValue) }
    }

    // MARK: Lanes

    @Test func detectsLateLane() {
        let record = record { _, number in number < 2 ? 60_000 : 5_000 }
        #expect(broken(record) == [], "less than 1 % of the recipients were late")
        #expect(Verdict(record).tally.lanes[.urgent]?.late == 5_000)
        #expect(!isUnjudged(.lanesArePrompt, record) && isUnjudged(.lanesArePrompt, record, .normal))
        let findings = Verdict(self.record { _, _ in 5_001 }).findings
        #expect(findings.map(\.invariant) == [.lanesArePrompt])
        #expect(findings.first?.recipient != nil, "the report shows what happened to a late recipient")
        #expect(broken(self.record(.normal) { _, _ in 15_000 }) == [])
        #expect(broken(self.record(.normal) { _, _ in 15_001 }) == [.lanesArePrompt])
        #expect(broken(self.record(.bulk) { _, _ in 60_000 }) == [], "the bulk lane has no limit")
    }

    @Test func leavesOutEffectsOfFaults() {
        var late = record { _, _ in 5_001 }
        late.faults = [FaultRecord(fault: .apnsDown, start: 60_000, end: 60_000)]
        #expect(broken(late) == [.lanesArePrompt], "the fault ended 40 s before")
        late.faults[0].end = 100_000
        #expect(broken(late) == [] && isUnjudged(.lanesArePrompt, late))
        late.faults[0] = FaultRecord(fault: .service(.fcm, .down), start: 60_000, end: 130_000)
        #expect(broken(late) == [.lanesArePrompt], "a fault of FCM does not delay pushes to APNs")
        late.faults[0] = FaultRecord(fault: .stopNode(1), start: 1_000, end: 60_000)
        #expect(broken(late) == [.lanesArePrompt], "the node returned 40 s before")
    }

    @Test func judgesOnlyOrdinaryPushes() {
        let changes: [(inout JobRecord) -> Void] = [
            { $0.output = .fcm }, { $0.traits.rate = 40 }, { $0.traits.slip = .brokersWord },
            { $0.app = "com.example.deals" }, { $0.recipients = [.slow] },
        ]
        for (number, change) in changes.enumerated() {
            var late = record { _, _ in 5_001 }
            late.jobs = late.jobs.mapValues { job in
                var job = job
                change(&job)
                return job
            }
            #expect(broken(late) == [] && isUnjudged(.lanesArePrompt, late), "change \(number)")
        }
    }

    @Test func requiresEnoughRecipients() {
        let few = record(recipients: 199) { _, _ in 60_000 }
        #expect(broken(few) == [] && isUnjudged(.lanesArePrompt, few) && isUnjudged(.appsAreEqual, few))
    }

    // MARK: Apps

    @Test func detectsAppThatWaitsLongerThanOthers() {
        func slow(_ wait: Int64) -> TortureRecord { record(.bulk) { app, _ in app == Self.apps[2] ? wait : 500 } }
        #expect(broken(slow(2_500)) == [])
        #expect(broken(slow(2_501)) == [.appsAreEqual])
        #expect(Verdict(slow(2_501)).tally.lanes[.bulk]?.slowestApp == Self.apps[2])
        let alone = record(apps: [Self.apps[0]]) { _, _ in 500 }
        #expect(broken(alone) == [] && isUnjudged(.appsAreEqual, alone))
    }
}
