import PushModel
import Store
import Testing

@Suite struct ProblemReportTests {
    private func report(_ text: String) -> WorkerReport.ProblemReport {
        WorkerReport.ProblemReport(
            kind: "provider.failing", party: "provider", severity: "trouble", subject: "apns production", text: text,
            since: Timestamp(seconds: 1_800_000_000))
    }

    @Test(arguments: [
        (String(repeating: "x", count: 200), String(repeating: "x", count: 200)),
        (String(repeating: "x", count: 201), String(repeating: "x", count: 197) + "…"),
        ("a" + String(repeating: "\u{301}", count: 300), "a" + String(repeating: "\u{301}", count: 98) + "…"),
        (String(repeating: "x", count: 196) + "ä" + "yyyy", String(repeating: "x", count: 196) + "…"),
    ])
    func shortensLongTextWithEllipsis(text: String, shortened: String) {
        #expect(report(text).text == shortened)
    }

    @Test func countsWorkersThatReportProblem() {
        let members = (1...3).map { number in
            FleetMember(
                id: "\(number)", name: "push-\(number)", version: "1", outputs: [], uptimeSeconds: 60, silentSeconds: 0,
                report: WorkerReport(
                    host: "web-3", pid: 4711, state: .ready, problems: [report("82 pushes were delayed.")]))
        }
        let text = "82 pushes were delayed. (reported by 3 workers; any numbers are from one of them)"
        #expect(members.problems.map(\.text) == [text])
        #expect([members[0]].problems.map(\.text) == ["82 pushes were delayed."])
        let twice = FleetMember(
            id: "4", name: "push-4", version: "1", outputs: [], uptimeSeconds: 60, silentSeconds: 0,
            report: WorkerReport(
                host: "web-3", pid: 4711, state: .ready, problems: [report("Refused."), report("Refused.")]))
        #expect([twice].problems.map(\.text) == ["Refused."], "a single worker reports both")
    }
}
