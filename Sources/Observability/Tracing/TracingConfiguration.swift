package import Foundations
import DeliveryPipeline
import Foundation
package import HTTP2Pool
package import HTTP2Session
package import MartletConfiguration
import NIOSSL
package import Traces

/// The configuration of traces: the address of the collector, and the sampler that selects the jobs to trace.
package struct TracingConfiguration: Sendable {
    private static let path = "/v1/traces"
    private static let defaultSampler = "parentbased_traceidratio"
    /// The default share of traced jobs. OpenTelemetry's default is to trace every job, which is too much for a worker
    /// that sends thousands of pushes per second.
    private static let defaultShare = 0.01
    /// The headers that Martlet sets itself or that control how a request is sent. The configuration must not set them.
    private static let own: Set<String> = [
        "accept", "connection", "content-encoding", "content-length", "content-type", "host", "te", "transfer-encoding",
        "upgrade", "user-agent",
    ]

    package let sampler: TraceSampler
    package let isTLS: Bool
    package let endpoint: Endpoint
    package let path: String
    /// The configured headers of each request, in addition to the headers that Martlet sets. Their names are in lower
    /// case.
    package let headers: [HTTP2Field]
    /// The attributes of this process as an OpenTelemetry resource.
    package let resource: [(key: String, value: String)]
    private let authorities: [NIOSSLCertificate]?

    /// Reads the configuration, or returns `nil` if no collector is configured.
    ///
    /// - Throws: `ConfigurationError`.
    package init?(_ source: ConfigurationSource) throws {
        let variables = source.openTelemetry
        // An empty setting turns traces off, even if a variable names a collector.
        let key = source.string(.tracingEndpoint)
        let standard = key == nil ? variables.tracesEndpoint ?? variables.endpoint : nil
        let text = standard?.text ?? key ?? ""
        guard !text.isEmpty else { return nil }
        let problem = "must be http://host[:port] or https://host[:port], optionally with a path"
        guard let target = Self.target(text, isWhole: standard != nil && variables.tracesEndpoint != nil) else {
            throw standard?.error(problem) ?? ConfigurationError(.tracingEndpoint, problem)
        }
        (isTLS, endpoint, path) = target
        sampler = try Self.sampler(variables)
        headers = try Self.headers(variables.headers)
        resource = try Self.resource(variables, worker: try source.workerName())
        authorities = try Self.authorities(variables.certificate)
    }

    /// Parses the URL of a collector, or returns `nil` if it is not valid. A URL may contain a password by mistake, so
    /// errors do not quote it.
    private static func target(_ text: String, isWhole: Bool) -> (isTLS: Bool, Endpoint, path: String)? {
        guard let scheme = text.range(of: "://"), ["http", "https"].contains(text[..<scheme.lowerBound].lowercased()),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("#"), !text.contains("?")
        else { return nil }
        let isTLS = text[..<scheme.lowerBound].lowercased() == "https"
        let rest = text[scheme.upperBound...]
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        guard !rest[..<end].contains("@"), let endpoint = try? Endpoint(rest[..<end], defaultPort: isTLS ? 443 : 80),
            endpoint.port > 0
        else { return nil }
        var path = String(rest[end...])
        if isWhole { return (isTLS, endpoint, path.isEmpty ? "/" : path) }
        while path.hasSuffix("/") { path.removeLast() }
        return (isTLS, endpoint, path.hasSuffix(Self.path) ? path : path + Self.path)
    }

    private static func sampler(_ variables: OpenTelemetryVariables) throws -> TraceSampler {
        var share = defaultShare
        if let argument = variables.samplerArgument {
            guard let number = Double(argument.text), (0...1).contains(number) else {
                throw argument.error("must be a number from 0 to 1")
            }
            share = number
        }
        let name = variables.sampler?.text ?? defaultSampler
        guard let sampler = TraceSampler(name, share: share) else {
            let problem = "must be one of: \(TraceSampler.names.joined(separator: ", "))"
            throw variables.sampler?.error(problem) ?? ConfigurationError(problem)
        }
        return sampler
    }

    private static func headers(_ variable: OpenTelemetryVariables.Value?) throws -> [HTTP2Field] {
        guard let variable else { return [] }
        let headers = try variable.pairs().map { HTTP2Field($0.key.lowercased(), $0.value, neverIndexed: true) }
        guard (try? HTTP2Fields(headers)) != nil,
            headers.allSatisfy({ !own.contains($0.name) && !$0.name.hasPrefix(":") })
        else { throw variable.error("has a header that Martlet sets itself, or an invalid name or value") }
        return headers
    }

    private static func resource(
        _ variables: OpenTelemetryVariables, worker: String
    ) throws -> [(key: String, value: String)] {
        let own = LogResource(instance: worker).attributes.map {
            $0.key == "service.name" ? ($0.key, variables.serviceName?.text ?? $0.value) : $0
        }
        let names = Set(own.map(\.0))
        return own + (try variables.resourceAttributes?.pairs() ?? []).filter { !names.contains($0.key) }
    }

    private static func authorities(_ variable: OpenTelemetryVariables.Value?) throws -> [NIOSSLCertificate]? {
        guard let variable else { return nil }
        guard let all = try? NIOSSLCertificate.fromPEMFile(variable.text), !all.isEmpty else {
            throw variable.error("no readable certificate in \(variable.text)")
        }
        return all
    }

    // MARK: Requests

    /// The timeout of a request, in seconds.
    static let patienceSeconds = 10

    package func pool(patience seconds: Int = patienceSeconds) -> PoolConfiguration {
        var tls: TLSConfiguration?
        if isTLS {
            var client = TLSConfiguration.makeClientConfiguration()
            if let authorities { client.trustRoots = .certificates(authorities) }
            tls = client
        }
        var pool = PoolConfiguration(
            service: "the collector", endpoint: endpoint, tls: tls, sendsPings: false, requestTimeoutSeconds: seconds)
        pool.protocols = .http2OrHTTP1
        return pool
    }

    func fields() throws -> HTTP2Fields {
        try HTTP2Fields(
            [
                HTTP2Field(":method", "POST"), HTTP2Field(":scheme", isTLS ? "https" : "http"),
                HTTP2Field(":authority", endpoint.authority), HTTP2Field("content-type", "application/json"),
                HTTP2Field("accept", "application/json"), HTTP2Field("user-agent", "martlet/\(Build.version)"),
            ] + headers)
    }
}
