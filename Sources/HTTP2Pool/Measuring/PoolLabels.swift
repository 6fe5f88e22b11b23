package import Metering

/// Under which labels a pool's figures are shown. Pools with the same labels are added up.
package struct PoolLabels: Sendable {
    let registry: MetricRegistry
    let output: String
    let credential: String
    let environment: String

    /// - Parameter credential: empty where one connection serves several.
    package init(
        _ registry: MetricRegistry, output: String, credential: String = "", environment: String
    ) {
        self.registry = registry
        self.output = output
        self.credential = credential
        self.environment = environment
    }

    /// Shows an output's counters as 0 before it has a pool. Histograms come with the first pool: an output that no app uses
    /// would have hundreds of series.
    package static func announce(_ output: String, in registry: MetricRegistry) {
        for result in PoolMeter.results { _ = registry.cell(.connects, [output, result]) }
        for code in PoolMeter.codes + [PoolMeter.other] { _ = registry.cell(.goAways, [output, code]) }
    }
}
