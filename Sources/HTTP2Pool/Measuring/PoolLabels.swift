package import Metering

/// The labels of a pool's metrics. Metrics of pools with the same labels are added up.
package struct PoolLabels: Sendable {
    let registry: MetricRegistry
    let output: String
    let credential: String
    let environment: String
    let host: String

    /// Creates the labels of a pool.
    ///
    /// - Parameters:
    ///   - credential: The credential's id, or an empty string if one connection serves several credentials.
    ///   - host: The configured host name or pattern that the pool's server matches, or an empty string if the output
    ///     does not label pools by host. The value must not come from a message, because each new value creates a new
    ///     series.
    package init(
        _ registry: MetricRegistry, output: String, credential: String = "", environment: String, host: String = ""
    ) {
        self.registry = registry
        self.output = output
        self.credential = credential
        self.environment = environment
        self.host = host
    }

    /// Registers an output's counters at 0 before the output has a pool. The histograms are registered by the output's
    /// first pool, because they would add hundreds of series for an output that no app uses.
    package static func announce(_ output: String, in registry: MetricRegistry) {
        for result in PoolMeter.results { _ = registry.cell(.connects, [output, result]) }
        for code in PoolMeter.codes + [PoolMeter.other] { _ = registry.cell(.goAways, [output, code]) }
    }
}
