package import Metering

extension MetricFamily {
    /// The metric families that `martlet ledger` exposes, in this order. Workers and the ledger have only the process
    /// metrics in common, so that alerts on metrics of workers ignore the ledger.
    package static let ofLedger =
        [
            ledgerBuildInfo, ledgerConsuming, ledgerStoring, ledgerEvents, ledgerOutcomes, ledgerBatches,
            ledgerLastBatch, ledgerHeld, ledgerLag,
        ] + [
            cpuSeconds, residentBytes, virtualBytes, openDescriptors, maximumDescriptors, threads, processStart,
        ]

    package static let ledgerBuildInfo = Self(
        "ledger_build_info", .info, "The ledger's version, its commit, and the compiler that built it.",
        labels: ["version", "commit", "swift"])
    package static let ledgerConsuming = Self(
        "ledger_consuming", .gauge, "1 while the ledger consumes result events.")
    package static let ledgerStoring = Self(
        "ledger_storing", .gauge, "1 while the ledger's database accepts writes.")
    package static let ledgerEvents = Self(
        "ledger_events_total", .counter, "Result events by state: stored, or unusable.",
        labels: ["state"])
    package static let ledgerOutcomes = Self(
        "ledger_outcomes_total", .counter, "Outcomes that were stored.")
    package static let ledgerBatches = Self(
        "ledger_batches_total", .counter, "Batches stored, and statements failed while events waited.",
        labels: ["result"])
    package static let ledgerLastBatch = Self(
        "ledger_last_batch_timestamp_seconds", .gauge,
        "The time when the last batch was stored; 0 if none was stored since the start.", scale: 1000)
    package static let ledgerHeld = Self(
        "ledger_events_held", .gauge, "Result events that were delivered and not stored yet.")
    package static let ledgerLag = Self(
        "ledger_lag_seconds", .gauge,
        "The age of the oldest event not stored yet, or the time without consuming if longer; 0 if neither applies.",
        scale: 1000)
}
