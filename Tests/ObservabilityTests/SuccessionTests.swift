import Observability
import Store
import Testing

struct SuccessionTests {
    private func member(_ name: String = "push-1", crashes: Int?) -> FleetMember {
        var report = WorkerReport(host: "web-3", pid: 4711, state: .ready)
        report.crashes = crashes
        return FleetMember(
            id: "1", name: name, version: "0.1.0", outputs: [], uptimeSeconds: 100, silentSeconds: 20,
            report: report)
    }

    @Test func countsCrashesInARow() {
        var succession = Succession(name: "push-1")
        succession.replaced([member(crashes: 2), member(crashes: nil)])
        succession.replaced([member(crashes: 1)])
        #expect(succession.crashes(after: .seconds(14)) == 5, "rows become silent one after the other")
        #expect(succession.crashes(after: .seconds(601)) == nil, "after 10 minutes there is no crash loop")
    }

    @Test func countsOnlyCrashesOfSameName() {
        var succession = Succession(name: "push-1")
        succession.replaced([member("push-2", crashes: 3)])
        #expect(succession.crashes(after: .seconds(1)) == nil)
    }

    @Test func searchesFor15Seconds() {
        let succession = Succession(name: "push-1")
        #expect(succession.isOpen(after: .seconds(14)))
        #expect(!succession.isOpen(after: .seconds(15)))
    }
}
