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

    /// What can be told before there is a pool: every answer and every end that there may be.
    package static func announce(_ output: String, _ environments: [String], in registry: MetricRegistry) {
        for environment in environments {
            for status in PoolMeter.statuses { _ = registry.histogram(.answers, [output, environment, status]) }
        }
        for result in PoolMeter.results { _ = registry.cell(.connects, [output, result]) }
        for code in PoolMeter.codes + [PoolMeter.other] { _ = registry.cell(.goAways, [output, code]) }
        _ = registry.histogram(.pings, [output])
    }
}
