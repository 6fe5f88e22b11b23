import Foundations
import Observability
import OutcomeLedger
import Metering
import PushModel
import Store

/// The registration of the metrics that `martlet ledger` shows on `/metrics`.
enum LedgerMetrics {
    static func register(_ monitor: LedgerMonitor, in registry: MetricRegistry) {
        registry.read("process") { page in
            page.add(.ledgerBuildInfo, [Build.version, Build.commit, WorkerMetrics.compiler], 1)
            ProcessStatistics.read()?.add(to: &page)
        }
        registry.read("ledger") { page in add(monitor, to: &page, now: .now) }
    }

    static func add(_ monitor: LedgerMonitor, to page: inout MetricPage, now: Timestamp) {
        let progress = monitor.progress
        page.add(.ledgerConsuming, progress.isConsuming ? 1 : 0)
        page.add(.ledgerStoring, progress.isStoring(at: now) ? 1 : 0)
        page.add(.ledgerEvents, ["stored"], progress.eventsStored)
        page.add(.ledgerEvents, ["unusable"], progress.eventsUnusable)
        page.add(.ledgerOutcomes, progress.outcomesStored)
        page.add(.ledgerBatches, ["stored"], progress.batchesStored)
        page.add(.ledgerBatches, ["failed"], progress.batchesFailed)
        page.add(.ledgerLastBatch, Int(progress.lastBatchAt?.milliseconds ?? 0))
        page.add(.ledgerHeld, monitor.eventsHeld)
        page.add(.ledgerLag, monitor.lag(at: now))
    }
}
