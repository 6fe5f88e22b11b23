import APNSOutput
import DeliveryPipeline
import Metering
import Observability
import PushModel
import Store
import Testing
import WorkerTestSupport

@Suite struct WorkerMetricsTests {
    private func samples(_ page: MetricPage, of name: String) -> [String: Double] {
        let lines = page.text(.text).split(separator: "\n").filter {
            $0.hasPrefix("\(name){") || $0.hasPrefix("\(name) ")
        }
        return Dictionary(
            lines.compactMap { line in
                line.lastIndex(of: " ").flatMap { end in
                    Double(line[end...].dropFirst()).map { (String(line[..<end].dropFirst(name.count)), $0) }
                }
            }, uniquingKeysWith: +)
    }

    @Test func exportsAllCounts() throws {
        var counts = PipelineCounts()
        counts.outcomes = ["sent": 7, "unregistered": 2]
        counts.jobsAccepted = 1
        counts.jobsRejected = 2
        counts.jobsHeld = 3
        counts.jobsUnclaimed = 24
        counts.jobsAcknowledged = 4
        counts.jobsSplit = 11
        counts.jobsScheduled = 12
        counts.jobsDuplicate = 13
        counts.jobsMoved = 14
        counts.jobsSuspected = 15
        counts.jobsPaced = 23
        counts.jobsResumed = 25
        counts.pushesRequeued = 16
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
        var page = MetricPage()
        counts.add(to: &page)
        let kinds = ["unknown", "failed", "rejected", "expired", "suppressed"]
        let outcomes = [#"{kind="sent"}"#: 7.0, #"{kind="unregistered"}"#: 2].merging(
            kinds.map { ("{kind=\"\($0)\"}", 0) }
        ) { first, _ in first }
        let expected: [String: [String: Double]] = [
            "martlet_outcomes_total": outcomes,
            "martlet_jobs_total": [
                #"{state="accepted"}"#: 1, #"{state="rejected"}"#: 2, #"{state="held"}"#: 3,
                #"{state="acknowledged"}"#: 4, #"{state="scattered"}"#: 11, #"{state="scheduled"}"#: 12,
                #"{state="duplicate"}"#: 13, #"{state="moved"}"#: 14, #"{state="suspected"}"#: 15,
                #"{state="paced"}"#: 23, #"{state="unclaimed"}"#: 24, #"{state="resumed"}"#: 25,
            ],
            "martlet_jobs_received_total": [
                #"{lane="urgent"}"#: 0, #"{lane="normal"}"#: 0, #"{lane="bulk"}"#: 0, #"{lane="returned"}"#: 0,
                #"{lane="waiting"}"#: 0,
                #"{lane="suspects"}"#: 0, #"{lane="dropped"}"#: 0,
            ],
            "martlet_oldest_open_job_timestamp_seconds": [
                #"{lane="urgent"}"#: 0, #"{lane="normal"}"#: 0, #"{lane="bulk"}"#: 0,
            ],

            "martlet_tokens_marked_total": ["": 6],
            "martlet_suppression_lookups_total": [
                #"{answer="dead"}"#: 11, #"{answer="live"}"#: 12, #"{answer="none"}"#: 13,
            ],
            "martlet_suppression_tokens": ["": 14], "martlet_suppression_bytes": ["": 15],
            "martlet_jobs_waiting": ["": 8],
            "martlet_messages_refused_total": [
                #"{exchange="martlet.results"}"#: 18, #"{exchange="martlet.delay.5"}"#: 19,
            ],
            "martlet_events_total": [#"{state="repeated"}"#: 20, #"{state="held"}"#: 21, #"{state="dead"}"#: 22],
            "martlet_jobs_open": ["": 9], "martlet_outcomes_open": ["": 10], "martlet_consuming": ["": 0],
            "martlet_publishing": ["": 1],
        ]
        for (name, series) in expected { #expect(samples(page, of: name) == series, "\(name)") }
    }

    @Test func exportsRefusalsAndCredentialExpiry() {
        var page = MetricPage()
        page.add([
            Refusal(
                credential: "1", environment: .sandbox, topic: #"a"b\c"#, reason: "TopicDisallowed",
                since: Timestamp(milliseconds: 0))
        ])
        page.add([BadTokens(app: "com.example.shop", environment: .sandbox, reason: "BadDeviceToken", count: 17)])
        page.add(
            [
                .sample("2", notAfter: Timestamp(seconds: 30 * 86_400)), .sample("3", notAfter: Timestamp(seconds: -1)),
                .sample("4", notAfter: nil),
            ], accountNames: ["apns": "team"])
        #expect(
            samples(page, of: "martlet_refused") == [
                #"{credential="1",environment="sandbox",topic="a\"b\\c",reason="TopicDisallowed"}"#: 1
            ])
        #expect(
            samples(page, of: "martlet_bad_tokens_total") == [
                #"{app="com.example.shop",environment="sandbox",reason="BadDeviceToken"}"#: 17
            ])
        func labels(_ credential: String) -> String {
            "{credential=\"\(credential)\",label=\"my \\\"label\\\"\",team=\"TEAM000001\"}"
        }
        #expect(
            samples(page, of: "martlet_credential_expiry_timestamp_seconds") == [
                labels("2"): 30 * 86_400, labels("3"): -1,
            ])
    }

    /// The program's name in this line contains parentheses and spaces, see proc_pid_stat(5).
    @Test func readsProcessStatistics() throws {
        let stat =
            "42 (a) b 7) S 1 42 42 0 -1 4194560 1 2 3 4 150 50 9 9 20 0 11 0 300 4096000 25 18446744073709551615 1"
        let statistics = try #require(ProcessStatistics(stat: stat, boot: 1_000, ticks: 100, pageBytes: 4_096))
        #expect(statistics.cpuMilliseconds == 2_000 && statistics.threads == 11 && statistics.start == 1_003_000)
        #expect(statistics.virtualBytes == 4_096_000 && statistics.residentBytes == 102_400)
        #expect(ProcessStatistics(stat: "42 (a", boot: 0, ticks: 100, pageBytes: 1) == nil)
        let own = try #require(ProcessStatistics.read())
        #expect(own.threads > 0 && own.openDescriptors > 2 && own.maximumDescriptors >= own.openDescriptors)
        #expect(own.residentBytes > 1_000_000 && own.start > 1_000_000_000_000)
    }
}
