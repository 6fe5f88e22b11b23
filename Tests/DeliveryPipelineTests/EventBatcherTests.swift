import Contract
import DeliveryPipeline
import PushModel
import Testing

@Suite struct EventBatcherTests {
    private func bodies(_ batches: [EventBatch]) throws -> [[String: Any]] {
        try batches.map { batch in
            let batch = batch
            return try JSON.object(batch.finish())
        }
    }

    @Test func writesOutcomesOfRecipients() throws {
        var batcher = EventBatcher(worker: "push \"7\"", maximumOutcomes: 500)
        let job = try routedJob(environment: .sandbox, attempt: 3, redelivered: true)
        let outcomes = [
            job.outcome(0, .sent, status: 200, providerID: try .sample(), uniqueID: "u-1"), job.outcome(1, .sent),
        ]
        for outcome in outcomes {
            let full = batcher.add(outcome, as: .sent, reason: nil, detail: nil)
            #expect(full?.count == nil)
        }
        let events = try bodies(batcher.flush())
        try #require(events.count == 1)
        #expect(
            events[0].filter { $0.key != "outcomes" } as? [String: String] == [
                "kind": "sent", "output": "apns", "app": "com.example.shop", "environment": "sandbox",
                "worker": "push \"7\"",
            ])
        let written = try JSON.objects(events[0]["outcomes"]).map { $0.mapValues { "\($0)" } }
        let at = "2027-01-15T08:00:00.000Z"
        #expect(
            written == [
                [
                    "job": "order-1", "recipient": "aa01", "status": "200", "attempts": "3", "redelivered": "1",
                    "at": at,
                    "apns_id": "eabeae54-14a8-11e5-b60b-1697f925ec7b", "apns_unique_id": "u-1",
                ],
                [
                    "job": "order-1", "recipient": "aa02", "ref": "user \"2\"", "attempts": "3", "redelivered": "1",
                    "at": at,
                ],
            ])
    }

    @Test func reportsChannelAsRecipientOfBroadcast() throws {
        var batcher = EventBatcher(worker: "w", maximumOutcomes: 1)
        let job = try routedJob(#"{"id":"1","app":"com.example.shop","channel":"dHN0\/a==","payload":{}}"#)
        let added = batcher.add(job.outcome(0, .sent, status: 200), as: .sent, reason: nil, detail: nil)
        let event = try #require(added)
        let written = try JSON.objects(try bodies([event])[0]["outcomes"])[0]
        #expect(written["recipient"] as? String == "dHN0/a==")
        #expect(written["broadcast"] as? Bool == true)
    }

    @Test(
        arguments: [
            (OutcomeKind.rejected, Outcome.Judge.provider, "apns"), (.rejected, .martlet, "martlet"),
            (.failed, .provider, nil), (.sent, .provider, nil),
        ] as [(OutcomeKind, Outcome.Judge, String?)])
    func namesJudgeOfRejectionsOnly(kind: OutcomeKind, judge: Outcome.Judge, by: String?) throws {
        var batcher = EventBatcher(worker: "w", maximumOutcomes: 1)
        let outcome = try routedJob().outcome(0, .rejected, status: 400, judge: judge, unregisteredAt: now)
        let added = batcher.add(outcome, as: kind, reason: "Bad\u{1}", detail: "more")
        let event = try #require(added)
        let written = try JSON.objects(try bodies([event])[0]["outcomes"])[0]
        #expect(written["by"] as? String == by)
        #expect(written["reason"] as? String == "Bad\u{1}")
        #expect(written["detail"] as? String == "more")
        #expect(written["redelivered"] == nil)
    }

    @Test func groupsOutcomesByKindOutputAppEnvironmentAndTrace() throws {
        var batcher = EventBatcher(worker: "w", maximumOutcomes: 500)
        let jobs = [
            try routedJob(jobBody("1"), ledgerID: 1), try routedJob(jobBody("2"), ledgerID: 2),
            try routedJob(jobBody("3", app: "com.example.other"), ledgerID: 3),
            try routedJob(jobBody("4"), environment: .sandbox, ledgerID: 4),
            try routedJob(jobBody("5", more: #""output":"discard","#), ledgerID: 5),
            try routedJob(jobBody("6"), ledgerID: 6, traceparent: "trace-6"),
            try routedJob(jobBody("7"), ledgerID: 7, traceparent: "trace-6"),
        ]
        for job in jobs {
            _ = batcher.add(job.outcome(0, .sent), as: .sent, reason: nil, detail: nil)
            _ = batcher.add(job.outcome(1, .retry), as: .failed, reason: "r", detail: nil)
        }
        let batches = batcher.flush()
        let contents = batches.map { batch in
            "\(batch.key.kind) \(batch.key.output) \(batch.key.app) \(batch.key.environment) \(batch.key.trace?.traceparent ?? "-"): "
                + batch.shares.map { "\($0.entry)×\($0.count)" }.joined(separator: " ")
        }
        #expect(
            contents == [
                "sent apns com.example.shop production -: 1×1 2×1",
                "failed apns com.example.shop production -: 1×1 2×1",
                "sent apns com.example.other production -: 3×1", "failed apns com.example.other production -: 3×1",
                "sent apns com.example.shop sandbox -: 4×1", "failed apns com.example.shop sandbox -: 4×1",
                "sent discard com.example.shop production -: 5×1", "failed discard com.example.shop production -: 5×1",
                "sent apns com.example.shop production trace-6: 6×1 7×1",
                "failed apns com.example.shop production trace-6: 6×1 7×1",
            ])
        #expect(try bodies(batches).map { try JSON.objects($0["outcomes"]).count } == batches.map(\.count))
        #expect(batcher.isEmpty)
    }

    @Test func returnsFullEventAndStartsNext() throws {
        var batcher = EventBatcher(worker: "w", maximumOutcomes: 3)
        let first = try routedJob(jobBody("1"), ledgerID: 1)
        let second = try routedJob(jobBody("2"), ledgerID: 2)
        var full: [EventBatch] = []
        for job in [first, first, second, first, second, second, second] {
            if let event = batcher.add(job.outcome(0, .sent), as: .sent, reason: nil, detail: nil) {
                full.append(event)
            }
        }
        let all = full + batcher.flush()
        #expect(full.count == 2)
        #expect(all.map(\.count) == [3, 3, 1])
        let shares = all.map { $0.shares.map { "\($0.entry)×\($0.count)" } }
        #expect(shares == [["1×2", "2×1"], ["1×1", "2×2"], ["2×1"]])
        #expect(
            try bodies(all).map { try JSON.objects($0["outcomes"]).map { $0["job"] as? String } }
                == [["1", "1", "2"], ["1", "2", "2"], ["2"]])
    }

    @Test func leavesNoEmptyEventAfterFullOne() throws {
        var batcher = EventBatcher(worker: "w", maximumOutcomes: 1)
        let job = try routedJob()
        let full = batcher.add(job.outcome(0, .sent), as: .sent, reason: nil, detail: nil)
        #expect(full?.count == 1)
        let rest = batcher.flush()
        #expect(rest.isEmpty)
    }

    @Test func limitsEventByBytes() throws {
        let ref = String(repeating: "r", count: 1_024)
        let recipients = (0..<500).map { #"{"token":"\#($0)","ref":"\#(ref)"}"# }.joined(separator: ",")
        let job = try routedJob(#"{"app":"a","payload":{},"recipients":[\#(recipients)]}"#)
        var batcher = EventBatcher(worker: "w", maximumOutcomes: 500)
        var full: [EventBatch] = []
        for recipient in 0..<500 {
            if let event = batcher.add(job.outcome(recipient, .sent), as: .sent, reason: nil, detail: nil) {
                full.append(event)
            }
        }
        let all = full + batcher.flush()
        #expect(all.map(\.count).reduce(0, +) == 500)
        for event in full {
            let size = (consume event).finish().count
            #expect((253_952...262_144).contains(size))
        }
        #expect(full.count == 2)
    }

    /// If each job has its own trace, there are as many events as jobs, so a small event must not take much memory.
    @Test func allocatesLittleMemoryForOneOutcome() throws {
        var batcher = EventBatcher(worker: "w", maximumOutcomes: 1)
        let added = batcher.add(try routedJob().outcome(0, .sent), as: .sent, reason: nil, detail: nil)
        #expect(try #require(added).finish().capacity < 1_024)
    }
}
