import MartletService
import Store
import Testing

struct SuccessionTests {
    private func member(crashes: Int?) -> FleetMember {
        var report = WorkerReport(host: "web-3", pid: 4711, state: .ready)
        report.crashes = crashes
        return FleetMember(
            id: "1", name: "push-1", version: "0.1.0", outputs: [], uptimeSeconds: 100, silentSeconds: 20,
            report: report)
    }

    @Test func countsCrashesInARow() {
        var succession = Succession()
        succession.replaced([member(crashes: 2), member(crashes: nil)])
        #expect(succession.crashes(after: .seconds(20)) == 4)
        #expect(succession.crashes(after: .seconds(601)) == nil, "it is not in a loop")
    }

    @Test func searchesUntilPredecessorIsFoundOrTimeIsOver() {
        var succession = Succession()
        #expect(succession.isOpen(after: .seconds(1)))
        succession.replaced([])
        #expect(succession.isOpen(after: .seconds(14)))
        #expect(!succession.isOpen(after: .seconds(15)))
        succession.replaced([member(crashes: nil)])
        #expect(!succession.isOpen(after: .seconds(1)))
        #expect(succession.crashes(after: .seconds(1)) == 1)
    }
}
