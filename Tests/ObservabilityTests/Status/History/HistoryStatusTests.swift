import Foundation
import Metering
import Observability
import PushModel
import Store
import Testing
import WorkerTestSupport

@Suite struct HistoryStatusTests {
    /// The start of an interval.
    private let start = Timestamp(seconds: 1_800_000_000)

    private func after(_ seconds: Int) -> Timestamp { Timestamp(seconds: start.seconds + Int64(seconds)) }

    private func status(_ sum: HistorySum?, at now: Timestamp, startedAt: Timestamp? = nil) -> HistoryStatus {
        HistoryStatus(
            .sample { facts in
                facts.now = now
                facts.startedAt = startedAt ?? Timestamp(seconds: now.seconds - 9_999)
                facts.fleet.history = sum
            })
    }

    private func member(_ name: String, _ ring: HistoryRing?, silentFor seconds: Int = 1) -> FleetMember {
        var report = WorkerReport(host: "web-3", pid: 1, state: .ready)
        report.setHistory([ring?.text(last: HistoryRing.size)].compactMap { $0 })
        return FleetMember(
            id: name, name: name, version: "0.1.0", outputs: ["apns"], uptimeSeconds: 3_600, silentSeconds: seconds,
            report: report)
    }

    /// The first worker runs all the time. The other one ends after ten minutes and starts again after twenty.
    @Test func addsHistoriesWithGap() throws {
        let now = after(2_400)
        var sum = HistorySum(now: now)
        sum.add(.sample(until: now, seconds: 2_400))
        sum.add(.sample(until: after(595), seconds: 595), hasEnded: true)
        sum.add(.sample(until: now, seconds: 1_200))
        let history = status(sum, at: now)
        let output = try #require(history.outputs.first)
        #expect(history.workers == 2 && history.from == Timestamp(seconds: start.seconds - 1_200).rfc3339)
        #expect(output.sent.prefix(10).allSatisfy { $0 == nil }, "no worker ran in these slots")
        #expect(output.sent[11] == 200 && output.sent[14] == 200)
        #expect(output.sent[15..<20] == [100, 100, 100, 100, 100])
        #expect(output.sent[21] == 200 && output.sent[29] == 200)
        #expect(history.lanes.map { $0.waiting[29] } == [0, 6, 100] && history.lanes[2].waiting[17] == 50)
        #expect(output.p50[29].map { (25...50).contains($0) } == true)
        #expect(output.p99[29].map { (100...250).contains($0) } == true && output.p99[3] == nil)
    }

    /// The last reading of one worker is five seconds old.
    @Test(arguments: [40, 119]) func showsRateOfUnfinishedSlot(seconds: Int) throws {
        let now = after(3_600 + seconds)
        var sum = HistorySum(now: now)
        sum.add(.sample(until: now, seconds: 3_000))
        sum.add(.sample(until: Timestamp(seconds: now.seconds - 5), seconds: 3_000))
        let history = status(sum, at: now)
        let last = try #require(history.outputs.first?.sent.last.flatMap { $0 })
        #expect(last == 200 && history.lastSlotSeconds == seconds)
    }

    @Test func omitsSlotThatHasJustBegun() {
        let now = after(3_610)
        let history = status(.sample(until: now), at: now)
        #expect(history.lastSlotSeconds == 120 && history.outputs.first?.sent.last == 100)
    }

    @Test func keepsHistoryOfEndedWorkers() throws {
        var fleet = FleetHistory()
        let old = HistoryRing.sample(until: after(1_200), seconds: 1_200)
        _ = fleet.update([member("push-1", old), member("push-2", nil)], now: after(1_200))
        let new = HistoryRing.sample(until: after(2_400), seconds: 1_200)
        let sum = fleet.update([member("push-3", new)], now: after(2_400))
        #expect(sum.workers == 1)
        let sent = try #require(status(sum, at: after(2_400)).outputs.first?.sent)
        #expect(sent[12] == 100.267 && sent[29] == 100.267, "the text rounds the counts")
        #expect(fleet.update([member("push-3", new)], now: after(6_600)).isKnown.contains(true) == false)
        let back = fleet.update([member("push-1", old), member("push-3", new)], now: after(2_400))
        #expect(back.workers == 2 && back.counts(of: "apns")[12]?.sent == 12_032, "push-1 must count once")
    }

    @Test func showsThisWorkerIfTableCannotBeRead() {
        let now = after(3_000)
        for (age, scope) in [(1, HistoryStatus.Scope.fleet), (100, .worker), (nil, .worker)] {
            let history = HistoryStatus(
                .sample { facts in
                    facts.now = now
                    facts.history = .sample(until: now, seconds: 600, rate: 7)
                    facts.fleet.history = .sample(3, until: now)
                    facts.fleet.readSecondsAgo = age
                })
            #expect(history.scope == scope && history.workers == (scope == .fleet ? 3 : 1))
            #expect(history.outputs.first?.sent[28] == (scope == .fleet ? 300 : 7))
        }
    }

    @Test func listsIdleOutputsByName() {
        let now = after(3_000)
        var recorder = HistoryRecorder()
        for seconds in [0, 60] {
            var page = MetricPage.history(seconds: seconds, outputs: ["fcm"], rate: 1)
            page.add(.pushesByOutput, ["apns", "sent"], 0)
            recorder.beat(HistoryReading(page), waiting: [], at: after(2_900 + seconds))
        }
        var sum = HistorySum(now: now)
        sum.add(recorder.ring)
        let history = status(sum, at: now)
        #expect(history.outputs.map(\.output) == ["fcm"] && history.idleOutputs == ["apns"])
    }

    @Test func estimatesQuantilesWithinBucket() {
        var output = HistoryCounts()
        #expect(output.quantile(0.5) == nil)
        output.all = [9, 9, 9] + [0, 0, 100, 100, 0, 0, 0, 0, 0, 0]
        #expect(output.quantile(0.5) == 50 && output.quantile(0.25) == 38 && output.quantile(0.99) == 99)
        output.all = [0, 0, 0] + [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(output.quantile(0.5) == 10 && output.quantile(0.99) == 10_000)
    }

    // MARK: Charts

    private func page(_ history: HistorySum?, at now: Timestamp) -> String {
        StatusPage.render(
            StatusDocument(
                .sample { facts in
                    facts.now = now
                    facts.fleet.history = history
                }))
    }

    @Test func drawsChartsWithoutSamples() {
        #expect(!page(nil, at: start).contains("<svg"))
        #expect(page(HistorySum(now: start), at: start).contains("No samples yet."))
    }

    @Test(arguments: [0, 5, 35, 120, 3_600]) func drawsChartsWithFewSamples(seconds: Int) throws {
        let now = after(3_600 + 100)
        let page = page(.sample(until: now, seconds: seconds, rate: seconds < 60 ? 0 : 1_000_000), at: now)
        let paths = page.matches(of: #/ d="([^"]*)"/#).map { String($0.1) }
        #expect(!paths.isEmpty && paths.allSatisfy { $0.wholeMatch(of: /[MLHVZhvz0-9 .-]+/) != nil })
        let numbers = page.matches(of: #/ (?:x|y|viewBox)="([^"]*)"/#).map { String($0.1) }
        #expect(numbers.allSatisfy { $0.wholeMatch(of: /[0-9 .]+/) != nil })
        #expect(page.contains("<svg") && !page.lowercased().contains("nan"))
    }

    @Test func describesChartsInWords() throws {
        let now = after(3_600)
        let page = page(.sample(2, until: now, outputs: ["apns", "fcm"]), at: now)
        #expect(page.matches(of: #/<svg /#).count == 5 && page.matches(of: /role="img"/).count == 5)
        #expect(page.contains("apns: pushes per second in the last hour"))
        #expect(page.contains("sent 200 now, peak 200; retried 2.0 now, peak 2.0; refused 0.2 now, peak 0.2"))
        #expect(page.contains("The sum of 2 workers in intervals of two minutes."))
        let ids = page.matches(of: #/ id="([^"]*)"/#).map { String($0.1) }
        #expect(Set(ids).count == ids.count)
    }
}
