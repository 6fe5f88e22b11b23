import Foundation
import Metering
import Observability
import PushModel
import Store
import Testing
import WorkerTestSupport

@Suite struct HistoryRingTests {
    /// The start of an interval.
    private let start = Timestamp(seconds: 1_800_000_000)

    private func after(_ seconds: Int) -> Timestamp { Timestamp(seconds: start.seconds + Int64(seconds)) }

    private func ring(ending seconds: Int, after first: Int = 0, outputs: [String] = ["apns"]) -> HistoryRing {
        HistoryRing.sample(until: after(seconds), seconds: seconds - first, outputs: outputs)
    }

    @Test func countsBySlot() throws {
        let ring = ring(ending: 300)
        #expect(ring.slots == [15_000_000, 15_000_001, 15_000_002])
        #expect(ring.counts(of: "apns").map(\.sent) == [11_500, 12_000, 6_500])
        #expect(ring.counts(of: "apns").map(\.retried) == [115, 120, 65])
        #expect(ring.seconds == 65, "measured from the last reading before the slot")
        #expect(Lane.allCases.map { ring.waiting(in: $0)[1] } == [0, 3 * 120_000, 50 * 120_000])
        #expect(Array(ring.counts(of: "apns")[1].answers) == [0, 0, 10_800, 0, 1_200, 0, 0, 0, 0, 0])
    }

    @Test func keepsOneHour() throws {
        let ring = ring(ending: 7_210)
        #expect(ring.slots == Array(15_000_031...15_000_060))
    }

    @Test func dropsLaterSlotsIfClockIsSetBack() {
        var recorder = HistoryRecorder()
        let page = MetricPage.history(seconds: 1, outputs: ["apns"], rate: 1)
        for seconds in [0, 130, 400, 140] { recorder.beat(HistoryReading(page), waiting: [], at: after(seconds)) }
        #expect(recorder.ring.slots == [15_000_000, 15_000_001])
    }

    @Test func countsNothingTwiceAfterSuspension() {
        var recorder = HistoryRecorder()
        for (seconds, count) in [(0, 10), (2, 20), (900, 30)] {
            let page = MetricPage.history(seconds: count, outputs: ["apns"], rate: 1)
            recorder.beat(HistoryReading(page), waiting: [1, 0, 0], at: after(seconds))
        }
        #expect(recorder.ring.counts(of: "apns").map(\.sent) == [10, 10])
        #expect(recorder.ring.waiting(in: .urgent) == [2_000, 10_000])
    }

    // MARK: Text

    @Test func roundTripsText() throws {
        let ring = ring(ending: 3_000, outputs: ["apns", "fcm"])
        let text = try #require(ring.text(last: HistoryRing.size))
        let read = try #require(HistoryRing(text: text))
        #expect(read.text(last: HistoryRing.size) == text)
        #expect(read.slots == ring.slots && read.seconds == ring.seconds)
        for (read, written) in zip(read.counts(of: "fcm"), ring.counts(of: "fcm")) {
            #expect(abs(read.sent - written.sent) <= written.sent / 200)
            #expect(read.refused == written.refused)
            for (read, written) in zip(read.answers, written.answers) {
                #expect(abs(read - written) <= written / 4)
            }
        }
    }

    @Test func omitsSlotsInWhichNoWorkerRan() throws {
        var recorder = HistoryRecorder()
        for seconds in [0, 600, 720] {
            let page = MetricPage.history(seconds: seconds, outputs: ["apns"], rate: 1)
            recorder.beat(HistoryReading(page), waiting: [], at: after(seconds))
        }
        let read = try #require(recorder.ring.text(last: HistoryRing.size).flatMap(HistoryRing.init(text:)))
        #expect(read.slots == [15_000_000, 15_000_005, 15_000_006])
        #expect(read.counts(of: "apns").map(\.sent) == [0, 600, 120])
        let newest = try #require(recorder.ring.text(last: 2).flatMap(HistoryRing.init(text:)))
        #expect(newest.slots == [15_000_005, 15_000_006] && newest.counts(of: "apns").map(\.sent) == [600, 120])
    }

    /// Six outputs have the longest names, the largest counts, and answers in all buckets. The text includes four of
    /// them.
    @Test(arguments: [(30, 2_269), (15, 1_219)])
    func limitsSizeOfText(slots: Int, bytes: Int) throws {
        let names = (0..<6).map { "output-\($0)".padding(toLength: 20, withPad: "x", startingAt: 0) }
        var recorder = HistoryRecorder()
        for step in 0..<400 {
            let registry = MetricRegistry()
            for (place, name) in names.enumerated() {
                let count = step * (1_000_000_000_000 + place)
                for result in ["sent", "retried", "refused"] {
                    registry.cell(.pushesByOutput, [name, result]).add(count)
                }
                let answers = registry.histogram(.answers, [name, "production", "200"])
                for bound in MetricFamily.answers.bounds + [1_000_000] { answers.observe(bound, times: count) }
            }
            recorder.beat(
                HistoryReading(registry.page(of: HistoryReading.families)),
                waiting: [1_000_000, 1_000_000, 1_000_000], at: after(step * 10))
        }
        let text = try #require(recorder.ring.text(last: slots))
        #expect(text.utf8.count <= bytes && text.utf8.count > bytes - 20)
        let read = try #require(HistoryRing(text: text))
        #expect(read.slots.count == slots)
        let sent = names.map { read.counts(of: $0)[3].sent }
        #expect(sent == [0, 0] + Array(repeating: 255 << 30, count: 4), "only the four busiest outputs are kept")
    }

    @Test(arguments: [
        "", "~", "1", "1.......", "2.8xi2o.1o.1....", "1.8xi2o.1o.0....", "1.8xi2o.zz.1....", "1.zzzzzzzzzzzz.1.1....",
        "1.8xi2o.1o.1.A...", "1.8xi2o.1o.1.!!...", "1.8xi2o.1o.1....~apns.A", "1.8xi2o.1o.1....~", "1.-1.0.1....",
        "1.8xi2o.1o.1....~<b>.AA", "1.8xi2o.1o.zzzzzzz....", String(repeating: "1.", count: 5_000),
    ])
    func rejectsInvalidText(text: String) {
        #expect(HistoryRing(text: text) == nil)
    }

    @Test func readsShortestText() throws {
        let ring = try #require(HistoryRing(text: "1.8xi2o.1o.1...."))
        #expect(ring.slots == [15_000_000] && ring.seconds == 60)
    }

    // MARK: Row

    @Test func shortensOrDropsHistoryFirst() throws {
        let ring = ring(ending: 3_600, outputs: ["apns", "fcm", "webpush"])
        let texts = [30, 15].compactMap { ring.text(last: $0) }
        func report(problems: Int, _ histories: [String]) -> WorkerReport {
            var report = WorkerReport(
                host: "web-3", pid: 1, state: .ready, minute: ["sent": 1],
                problems: (0..<problems).map { _ in
                    .init(
                        kind: "provider.unreachable", party: "network", severity: "trouble", subject: "apns",
                        text: String(repeating: "\"", count: 150), since: start)
                })
            report.setHistory(histories)
            return report
        }
        #expect(report(problems: 0, texts).history == texts[0])
        let long = [String(repeating: "x", count: 3_700), String(repeating: "x", count: 2_000)]
        #expect(report(problems: 0, long).history == long[0])
        #expect(report(problems: 3, long).history == long[1])
        let tooLong = report(problems: 8, [long[0]])
        #expect(tooLong.history == nil && tooLong.problems?.isEmpty == false)
    }

    @Test func readsReportsOfOtherVersions() throws {
        struct Earlier: Decodable {
            let host: String
            let minute: [String: Int]
        }
        var report = WorkerReport(host: "web-3", pid: 1, state: .ready, minute: ["sent": 1])
        let earlier = try JSONDecoder().decode(WorkerReport.self, from: JSONEncoder().encode(report))
        #expect(earlier.history == nil && earlier.host == "web-3")
        report.setHistory([try #require(ring(ending: 600).text(last: 30))])
        let data = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(WorkerReport.self, from: data) == report && report.history != nil)
        #expect(try JSONDecoder().decode(Earlier.self, from: data).minute == ["sent": 1])
    }
}
