import MartletConfiguration
import MartletWorker
import Metering
import Testing

@Suite struct LedgerMetricsTests {
    /// Alerts about workers would also count the ledger if the two shared any metric other than `process_*`.
    @Test func sharesOnlyProcessMetricsWithWorker() {
        let shared = MetricFamily.ofLedger.filter(MetricFamily.all.contains).map(\.name)
        #expect(!shared.isEmpty && shared.allSatisfy { $0.hasPrefix("process_") }, "\(shared)")
    }

    @Test func namesMetricsByPrometheusConventions() {
        for family in MetricFamily.ofLedger where !family.name.hasPrefix("process_") {
            #expect(family.name.hasPrefix("martlet_ledger_"), "\(family.name)")
            #expect((family.kind == .counter) == family.name.hasSuffix("_total"), "\(family.name)")
            #expect((family.kind == .info) == family.name.hasSuffix("_info"), "\(family.name)")
            #expect(family.help.hasSuffix("."), "\(family.name)")
        }
        #expect(Set(MetricFamily.ofLedger).count == MetricFamily.ofLedger.count)
    }
}
