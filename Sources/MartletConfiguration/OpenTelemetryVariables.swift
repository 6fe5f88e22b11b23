import Foundation

/// The OpenTelemetry environment variables that a worker reads for its traces. An empty variable counts as unset
/// (opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables).
package struct OpenTelemetryVariables: Sendable {
    /// A value and the name of its variable.
    package struct Value: Sendable {
        package let variable: String
        package let text: String
    }

    /// The collector's URL for traces, used unchanged.
    package let tracesEndpoint: Value?
    /// The base URL of the collector. The path `/v1/traces` is appended to it unless it already ends with this path.
    package let endpoint: Value?
    package let headers: Value?
    /// The path of a PEM file with certificate authorities.
    package let certificate: Value?
    package let sampler: Value?
    /// The share of jobs that the samplers `traceidratio` and `parentbased_traceidratio` select.
    package let samplerArgument: Value?
    package let serviceName: Value?
    package let resourceAttributes: Value?

    package init(_ environment: [String: String]) {
        /// Returns the value of the first given variable that is set and not empty.
        func value(_ variables: String...) -> Value? {
            for variable in variables {
                if let text = environment[variable], !text.isEmpty { return Value(variable: variable, text: text) }
            }
            return nil
        }
        tracesEndpoint = value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        endpoint = value("OTEL_EXPORTER_OTLP_ENDPOINT")
        headers = value("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
        certificate = value("OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE")
        sampler = value("OTEL_TRACES_SAMPLER")
        samplerArgument = value("OTEL_TRACES_SAMPLER_ARG")
        serviceName = value("OTEL_SERVICE_NAME")
        resourceAttributes = value("OTEL_RESOURCE_ATTRIBUTES")
    }
}

extension OpenTelemetryVariables.Value {
    /// Returns an error that names the variable.
    ///
    /// - Parameter problem: the part of the message that follows "environment variable NAME: ".
    package func error(_ problem: String) -> ConfigurationError {
        ConfigurationError("environment variable \(variable): \(problem)")
    }

    /// Returns the percent-decoded pairs of a list such as `name=value,name=value`.
    ///
    /// - Throws: ``ConfigurationError``.
    package func pairs() throws -> [(key: String, value: String)] {
        try text.split(separator: ",").compactMap { pair in
            let pair = pair.trimmingCharacters(in: .whitespaces)
            guard !pair.isEmpty else { return nil }
            guard let sign = pair.firstIndex(of: "="), sign > pair.startIndex,
                let name = pair[..<sign].trimmingCharacters(in: .whitespaces).removingPercentEncoding,
                let value = pair[pair.index(after: sign)...].trimmingCharacters(in: .whitespaces)
                    .removingPercentEncoding
            else {
                throw error("must be name=value pairs separated by commas, with special characters percent-encoded")
            }
            return (name, value)
        }
    }
}
