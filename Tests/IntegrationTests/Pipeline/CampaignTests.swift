import APNSSimulator
import DeliveryPipeline
import Foundation
import PushModel
import Store
import TestSupport
import TestTraits
import Testing
import Routing

/// Campaigns through a whole worker, with its broker, its database and the APNs simulator.
@Suite(.needsServers)
struct CampaignTests {
    private static let apps = ["com.example.shop", "com.example.news"]

    @Test func reportsExpectedOutcomeOfEveryRecipient() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.apps[0])
            try await installation.addCertificateApp(Self.apps[1])
            var campaign = Campaign()
            for app in Self.apps {
                for number in 0..<15 { campaign.add(app, .urgent, "urgent-\(number)", size: 1) }
                for number in 0..<10 { campaign.add(app, .normal, "normal-\(number)", size: 10) }
                campaign.add(app, .bulk, "bulk", size: 1_000)
            }
            try await InProcessWorker.run(in: installation) { worker in
                for (lane, jobs) in campaign.jobs { try await installation.publish(jobs, lane: lane) }
                try await installation.results.wait(for: campaign.expected.count)
                try await eventually("all jobs are settled: \(worker.counts)") { worker.counts.jobsOpen == 0 }
                // Each of the two bulk jobs is acknowledged when it has been republished under a new name, again when
                // it has been split, and then once for each of its two chunks.
                #expect(worker.counts.jobsAcknowledged == 58, "each bulk job counts four times")
            }

            let entries = installation.results.entries
            #expect(entries.count == campaign.expected.count)
            for (addressee, expected) in campaign.expected {
                let found = entries[addressee] ?? []
                #expect(found.map(\.verdict) == [expected.verdict], "\(addressee)")
                #expect(found.first?.outcome.ref == expected.ref)
                #expect(found.first?.outcome.attempts == 1)
                #expect((found.first?.outcome.apns_id == nil) == (expected.verdict.by == "martlet"))
            }
            for app in Self.apps { #expect(try await installation.markedTokens(of: app) == campaign.marked[app]) }
            let sent = campaign.expected.filter { $0.value.verdict.by != "martlet" }
            #expect(installation.simulator.recordedArrivals == Dictionary(sent.map { ($0.key.token, 1) }) { $0 + $1 })
            #expect(try await installation.waitingMessages().isEmpty)
        }
    }

    @Test func sendsPayloadsUnchangedWithRequestedHeaders() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.apps[0])
            let deadline = Int(Date().timeIntervalSince1970) + 3_600
            var job = JobText("whole", app: Self.apps[0], to: Token.random(count: 2))
            job.payload = "{ \"aps\":{\"alert\" : \"\\u00e4 \\/ ä\\n\"},\"n\":1.0e0 , \"big\": 12345678901234567890}"
            job.recipients[1].payload = "{\"aps\":{\"alert\":\"only for\\tyou\"} }"
            job.more = #","collapse_id":"score 1:0","expires_at":\#(deadline),"priority":5"#
            let quiet = JobText("quiet", app: Self.apps[0], to: [Token.random()], more: #","expires_at":0"#)
            try await InProcessWorker.run(in: installation) { _ in
                try await installation.publish([job, quiet])
                try await installation.results.wait(for: 3)
            }
            let requests = Dictionary(installation.simulator.recordedRequests.map { ($0.token, $0) }) { $1 }
            let first = try #require(requests[job.recipients[0].token])
            #expect(first.payload == job.payload)
            #expect(requests[job.recipients[1].token]?.payload == job.recipients[1].payload)
            #expect(first.fields["apns-collapse-id"] == "score 1:0")
            #expect(first.fields["apns-expiration"] == "\(deadline)")
            #expect(first.fields["apns-priority"] == "5")
            #expect(first.fields["apns-push-type"] == "alert")
            #expect(first.fields["apns-topic"] == Self.apps[0])
            #expect(requests[quiet.recipients[0].token]?.fields["apns-expiration"] == "0")
        }
    }

    @Test func reportsReasonsForUnsentPushes() async throws {
        try await Installation.with { installation in
            try await installation.addTokenApp(Self.apps[0])
            try await installation.setApp(
                App(bundleID: "com.example.keyless", accounts: ["apns": AppAccount("TEAM000009")]))
            let past = Int(Date().timeIntervalSince1970) - 10
            let late = JobText("late", app: Self.apps[0], to: [Token.random()], more: #","expires_at":\#(past)"#)
            var huge = JobText("huge", app: Self.apps[0], to: Token.random(count: 3))
            huge.payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 50_000))"}}"#
            let keyless = JobText("keyless", app: "com.example.keyless", to: Token.random(count: 2))
            let problems = JobText(
                "problems", app: Self.apps[0], to: Token.random(count: 50) + [Token.random(Token.bad)],
                more: #","results":"problems""#)
            try await InProcessWorker.run(in: installation) { worker in
                try await installation.publish([late, huge, keyless, problems])
                try await installation.results.wait(for: 7)
                try await eventually("all jobs are acknowledged: \(worker.counts)") {
                    worker.counts.jobsAcknowledged == 4 + worker.counts.jobsMoved
                }
                #expect(worker.counts.outcomes["sent"] == 50)
            }
            #expect(
                installation.results.tally == [
                    "expired": 1, "rejected PayloadTooLarge by martlet": 3, "failed NoCredential": 2,
                    "rejected BadDeviceToken by apns": 1,
                ])
            #expect(installation.simulator.recordedArrivals.count == 51)
            #expect(try await installation.waitingMessages().isEmpty)
        }
    }
}

/// Jobs of various sizes with recipients of every kind, and their expected outcomes.
private struct Campaign {
    struct Expected {
        let verdict: Verdict
        let ref: String
    }

    private(set) var jobs: [Lane: [JobText]] = [:]
    private(set) var expected: [Addressee: Expected] = [:]
    private(set) var marked: [String: Set<String>] = [:]
    private let yesterday = Int(Date().timeIntervalSince1970) - 86_400

    /// The special kinds of recipient. Every seventh recipient is one of them, in turn.
    private static let specials: [(prefix: String, isRegistered: Bool, verdict: Verdict, isMarked: Bool)] = [
        (Token.dead, true, Verdict(kind: "unregistered", reason: "Unregistered"), true),
        // The token was registered again after it died, so it is not marked.
        (Token.longDead, true, Verdict(kind: "unregistered", reason: "Unregistered"), false),
        (Token.longDead, false, Verdict(kind: "unregistered", reason: "Unregistered"), true),
        (Token.expired, false, Verdict(kind: "unregistered", reason: "ExpiredToken"), true),
        // A bad token is not marked dead.
        (Token.bad, false, Verdict(kind: "rejected", reason: "BadDeviceToken", by: "apns"), false),
        (Token.notForTopic, true, Verdict(kind: "rejected", reason: "DeviceTokenNotForTopic", by: "apns"), false),
        ("odd", false, Verdict(kind: "rejected", reason: "BadDeviceToken", by: "martlet"), false),
    ]

    mutating func add(_ app: String, _ lane: Lane, _ name: String, size: Int) {
        var job = JobText("\(app)-\(name)", app: app, to: [])
        for index in 0..<size {
            let ref = "user \(expected.count)"
            var recipient = JobText.Recipient(token: Token.random(), ref: ref)
            var verdict = Verdict(kind: "sent")
            if expected.count % 7 == 3 {
                let special = Self.specials[expected.count / 7 % Self.specials.count]
                recipient.token =
                    special.prefix == "odd" ? String(Token.random().dropLast()) : Token.random(special.prefix)
                if special.isRegistered { recipient.registeredAt = yesterday }
                if special.isMarked { marked[app, default: []].insert(recipient.token) }
                verdict = special.verdict
            }
            if index % 5 == 1 { recipient.payload = #"{"aps":{"alert":"to \#(ref)"}}"# }
            job.recipients.append(recipient)
            expected[Addressee(job: job.id, token: recipient.token)] = Expected(verdict: verdict, ref: ref)
        }
        jobs[lane, default: []].append(job)
    }
}
