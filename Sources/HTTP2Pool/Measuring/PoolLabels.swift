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

    /// Registers an output's counters at 0 before the output has a pool. Its first pool registers the histograms, because they
    /// would add hundreds of series for an output that no app uses.
    package static func announce(_ output: String, in registry: MetricRegistry) {
        for result in PoolMeter.results { _ = registry.cell(.connects, [output, result]) }
        for code in PoolMeter.codes + [PoolMeter.other] { _ = registry.cell(.goAways, [output, code]) }
    }
}
