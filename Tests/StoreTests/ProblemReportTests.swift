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

    @Test func countsProblemsThatDoNotFit() throws {
        func texts(_ problems: [String]) throws -> [String] {
            let report = WorkerReport(host: "web-3", pid: 1, state: .ready, problems: problems.map(report))
            return try #require(report.problems).map(\.text)
        }
        #expect(try texts((1...8).map { "Late \($0)." }).last == "Late 8.")
        let many = try texts((1...11).map { "Late \($0)." })
        #expect(many.count == 8 && many.last == "Late 8. (and 3 more, see the worker's status page)")
        let long = try texts((1...8).map { "\($0)" + String(repeating: "x", count: 300) })
        #expect(long.count < 8 && long.allSatisfy { $0.utf8.count <= 200 })
        #expect(long.last?.hasSuffix("… (and \(8 - long.count) more, see the worker's status page)") == true, "\(long)")
    }

    @Test func shortensObstacleToBytes() {
        let report = WorkerReport(
            host: "web-3", pid: 1, state: .hindered, obstacle: String(repeating: "ä", count: 150))
        #expect(report.obstacle == String(repeating: "ä", count: 98) + "…")
    }

    private func member(_ number: Int, _ problems: [String]) -> FleetMember {
        FleetMember(
            id: "\(number)", name: "push-\(number)", version: "1", outputs: [], uptimeSeconds: 60, silentSeconds: 0,
            report: WorkerReport(host: "web-3", pid: 4711, state: .ready, problems: problems.map(report)))
    }

    @Test func namesWorkersThatReportProblem() {
        let members = (1...3).map { member($0, ["\($0)82 pushes were delayed."]) }
        #expect(
            members.problems.map(\.text) == ["182 pushes were delayed. (reported by push-1, push-2, push-3)"])
        #expect([members[0]].problems.map(\.text) == ["182 pushes were delayed."])
        #expect(
            (1...5).map { member($0, ["Late."]) }.problems.map(\.text)
                == ["Late. (reported by push-1, push-2, push-3 and 2 more)"])
    }

    @Test func listsProblemsWithDifferentTextsSeparately() {
        let members = [
            member(1, ["This worker's clock is 2 min behind."]), member(2, ["This worker's clock is 5 min ahead."]),
        ]
        #expect(
            members.problems.map(\.text) == [
                "This worker's clock is 2 min behind. (reported by push-1)",
                "This worker's clock is 5 min ahead. (reported by push-2)",
            ])
    }

    @Test func listsProblemOfOneWorkerOnce() {
        let twice = FleetMember(
            id: "4", name: "push-4", version: "1", outputs: [], uptimeSeconds: 60, silentSeconds: 0,
            report: WorkerReport(
                host: "web-3", pid: 4711, state: .ready, problems: [report("Refused."), report("Refused.")]))
        #expect([twice].problems.map(\.text) == ["Refused."], "a single worker reports both")
    }
}
