import Foundations
/// The OpenTelemetry resource of this process: the name, version and instance of the service.
package struct LogResource: Sendable {
    package let instance: String?

    package init(instance: String?) { self.instance = instance }

    var attributes: [(key: String, value: String)] {
        [("service.name", "martlet"), ("service.version", Build.version)]
            + (instance.map { [("service.instance.id", $0)] } ?? [])
    }
}
