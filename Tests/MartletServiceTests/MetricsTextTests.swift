import APNSOutput
import DeliveryPipeline
import MartletService
import PushModel
import Store
import Testing

@Suite struct MetricsTextTests {
    private struct Metric: Equatable {
        var help = ""
        var type = ""
        var samples: [String: Int] = [:]
    }

    /// Reads Prometheus' text format, version 0.0.4, and is strict about it.
    private func parsed(_ text: String) throws -> [String: Metric] {
        var metrics: [String: Metric] = [:]
        #expect(text.hasSuffix("\n"))
        for line in text.split(separator: "\n") {
            if let help = line.wholeMatch(of: /# HELP ([a-z_]+) ([^\\]+)/) {
                #expect(metrics[String(help.1)] == nil, "\(help.1) comes twice")
                metrics[String(help.1)] = Metric(help: String(help.2))
            } else if let type = line.wholeMatch(of: /# TYPE ([a-z_]+) (counter|gauge)/) {
                #expect(metrics[String(type.1)]?.samples == [:], "TYPE of \(type.1) must come before its samples")
                metrics[String(type.1)]?.type = String(type.2)
            } else {
                let sample = try #require(
                    line.wholeMatch(
                        of:
                            /([a-z_]+)((?:\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*\})?) (-?[0-9]+)/
                    ), "\(line)")
                #expect(metrics[String(sample.1)] != nil, "\(line) comes before its HELP")
                metrics[String(sample.1)]?.samples[String(sample.2)] = Int(sample.3)
            }
        }
        return metrics
    }

    @Test func whatWasCountedIsThere() throws {
        var counts = PipelineCounts()
        counts.outcomes = ["sent": 7, "unregistered": 2]
        counts.jobsAccepted = 1
        counts.jobsRejected = 2
        counts.jobsHeld = 3
        counts.jobsAcknowledged = 4
        counts.jobsSplit = 11
        counts.jobsScheduled = 12
        counts.jobsDuplicate = 13
        counts.jobsOverflowed = 14
        counts.jobsSuspected = 15
        counts.pushesPutBack = 16
        counts.retries = 5
        counts.pushesHeld = 7
        counts.tokensMarked = 6
        counts.jobsWaiting = 8
        counts.jobsOpen = 9
        counts.obligationsOpen = 10
        counts.oldestJobSeconds = 17
        counts.messagesRefused = ["martlet.results": 18, "martlet.delay.5": 19]
        counts.eventsRepeated = 20
        counts.eventsHeld = 21
        counts.eventsDead = 22
        counts.lookUpsDead = 11
        counts.lookUpsLive = 12
        counts.lookUpsFailed = 13
        counts.suppressionTokens = 14
        counts.suppressionBytes = 15
        counts.isPublishing = true
        let refusal = Refusal(
            credential: "1", environment: .sandbox, topic: #"a"b\c"#, reason: "TopicDisallowed",
            since: Timestamp(milliseconds: 0))
        let metrics = try parsed(
            MetricsText.render(
                counts, refusals: [refusal],
                badTokens: [
                    .init(app: "com.example.shop", environment: .sandbox, reason: "BadDeviceToken", count: 17)
                ],
                credentials: [
                    .sample("2", notAfter: Timestamp(seconds: 30 * 86_400)),
                    .sample("3", notAfter: Timestamp(seconds: -1)), .sample("4", notAfter: nil),
                ], accountNames: ["apns": "team"], fleet: FleetView(isKnown: true, quotas: ["fcm/p": 4]),
                now: Timestamp(seconds: 1)))
        #expect(
            metrics.mapValues(\.samples) == [
                "martlet_outcomes_total": [#"{kind="sent"}"#: 7, #"{kind="unregistered"}"#: 2],
                "martlet_jobs_total": [
                    #"{state="accepted"}"#: 1, #"{state="rejected"}"#: 2, #"{state="held"}"#: 3,
                    #"{state="acknowledged"}"#: 4, #"{state="scattered"}"#: 11, #"{state="scheduled"}"#: 12,
                    #"{state="duplicate"}"#: 13, #"{state="overflowed"}"#: 14, #"{state="suspected"}"#: 15,
                ],
                "martlet_given_back_total": ["": 16],
                "martlet_retries_total": ["": 5], "martlet_held_total": ["": 7], "martlet_tokens_marked_total": ["": 6],
                "martlet_suppression_lookups_total": [
                    #"{answer="dead"}"#: 11, #"{answer="live"}"#: 12, #"{answer="none"}"#: 13,
                ],
                "martlet_suppression_tokens": ["": 14], "martlet_suppression_bytes": ["": 15],
                "martlet_jobs_waiting": ["": 8], "martlet_oldest_open_job_seconds": ["": 17],
                "martlet_messages_refused_total": [
                    #"{exchange="martlet.results"}"#: 18, #"{exchange="martlet.delay.5"}"#: 19,
                ],
                "martlet_events_total": [
                    #"{state="repeated"}"#: 20, #"{state="held"}"#: 21, #"{state="dead"}"#: 22,
                ],
                "martlet_jobs_open": ["": 9], "martlet_outcomes_open": ["": 10], "martlet_consuming": ["": 0],
                "martlet_publishing": ["": 1], "martlet_fleet_known": ["": 1],
                "martlet_quota_workers": [#"{quota="fcm/p"}"#: 4],
                "martlet_bad_tokens_total": [
                    #"{app="com.example.shop",environment="sandbox",reason="BadDeviceToken"}"#: 17
                ],
                "martlet_refused": [
                    #"{credential="1",environment="sandbox",topic="a\"b\\c",reason="TopicDisallowed"}"#: 1
                ],
                "martlet_credential_days_left": [
                    #"{credential="2",label="my \"label\"",team="TEAM000001"}"#: 29,
                    #"{credential="3",label="my \"label\"",team="TEAM000001"}"#: -1,
                ],
            ])
        for (name, metric) in metrics {
            #expect(metric.type == (name.hasSuffix("_total") ? "counter" : "gauge"), "\(name)")
        }
    }

    @Test func everyKindNeedsNoEscape() throws {
        var counts = PipelineCounts()
        for kind in OutcomeKind.allCases { counts.outcomes[kind.rawValue] = 1 }
        let samples = try parsed(MetricsText.render(counts, now: Timestamp(seconds: 0)))["martlet_outcomes_total"]?
            .samples
        #expect(samples?.keys.sorted() == OutcomeKind.allCases.map { "{kind=\"\($0.rawValue)\"}" }.sorted())
    }
}
