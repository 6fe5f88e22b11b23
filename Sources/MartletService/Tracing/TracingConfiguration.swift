package import Addressing
import DeliveryPipeline
import Foundation
import HTTP2Pool
import HTTP2Session
import NIOSSL
package import Traces

/// Where traces go, and of which jobs there are some.
package struct TracingConfiguration: Sendable {
    /// The variable whose URL is used as it is; of others, the path of traces is put behind it.
    static let wholeEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    private static let path = "/v1/traces"
    /// Headers that each request has anyway, or that say how it is sent.
    private static let own: Set<String> = [
        "accept", "connection", "content-encoding", "content-length", "content-type", "host", "te", "transfer-encoding",
        "upgrade", "user-agent",
    ]

    package let sampler: TraceSampler
    package let isTLS: Bool
    package let endpoint: Endpoint
    package let path: String
    /// Beside those of any request; names in lower case.
    let headers: [HTTP2Field]
    /// Who sends.
    package let resource: [(key: String, value: String)]
    private let authorities: [NIOSSLCertificate]?

    /// - Returns: nil where there is no endpoint.
    /// - Throws: ``ConfigurationError``.
    package init?(_ source: ConfigurationSource) throws {
        guard let text = source.string(.tracingEndpoint), !text.isEmpty else { return nil }
        let isWhole = source.origins.standardVariable(of: .tracingEndpoint) == Self.wholeEndpoint
        (isTLS, endpoint, path) = try Self.target(text, isWhole: isWhole)
        sampler = try Self.sampler(source)
        let pairs = try Self.pairs(of: .tracingHeaders, source)
        headers = pairs.map { HTTP2Field($0.key.lowercased(), $0.value, neverIndexed: true) }
        guard (try? HTTP2Fields(headers)) != nil, headers.allSatisfy({ !Self.own.contains($0.name) }),
            headers.allSatisfy({ !$0.name.hasPrefix(":") })
        else {
            throw ConfigurationError(.tracingHeaders, "has a name or a value that no header of ours can have")
        }
        resource = try Self.resource(source)
        authorities = try Self.authorities(source)
    }

    /// A URL may hold a password by mistake: what is wrong with one does not repeat it.
    private static func target(_ text: String, isWhole: Bool) throws -> (isTLS: Bool, Endpoint, path: String) {
        let fault = ConfigurationError(
            .tracingEndpoint, "must be http://host[:port] or https://host[:port], perhaps with a path")
        guard let scheme = text.range(of: "://"), ["http", "https"].contains(text[..<scheme.lowerBound].lowercased()),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("#"), !text.contains("?")
        else { throw fault }
        let isTLS = text[..<scheme.lowerBound].lowercased() == "https"
        let rest = text[scheme.upperBound...]
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        guard !rest[..<end].contains("@"), let endpoint = try? Endpoint(rest[..<end], defaultPort: isTLS ? 443 : 80),
            endpoint.port > 0
        else { throw fault }
        var path = String(rest[end...])
        if isWhole { return (isTLS, endpoint, path.isEmpty ? "/" : path) }
        while path.hasSuffix("/") { path.removeLast() }
        return (isTLS, endpoint, path.hasSuffix(Self.path) ? path : path + Self.path)
    }

    private static func sampler(_ source: ConfigurationSource) throws -> TraceSampler {
        let share = try source.required(.tracingSample)
        guard let number = Double(share), (0...1).contains(number) else {
            throw ConfigurationError(.tracingSample, "is \(share), but must be a number from 0 to 1")
        }
        let name = try source.required(.tracingSampler)
        guard let sampler = TraceSampler(name, share: number) else {
            let names = TraceSampler.names.joined(separator: ", ")
            throw ConfigurationError(.tracingSampler, "is \(name), but must be one of: \(names)")
        }
        return sampler
    }

    private static func resource(_ source: ConfigurationSource) throws -> [(key: String, value: String)] {
        let own = LogResource(instance: try source.workerName()).attributes.map {
            $0.key == "service.name" ? ($0.key, source.string(.tracingServiceName) ?? $0.value) : $0
        }
        let names = Set(own.map(\.0))
        return own + (try pairs(of: .tracingResource, source)).filter { !names.contains($0.key) }
    }

    /// As OpenTelemetry writes them: `name=value,name=value`, percent-encoded.
    private static func pairs(
        of key: ConfigurationKey, _ source: ConfigurationSource
    ) throws -> [(key: String, value: String)] {
        let text = source.string(key) ?? ""
        return try text.split(separator: ",").compactMap { pair in
            let pair = pair.trimmingCharacters(in: .whitespaces)
            guard !pair.isEmpty else { return nil }
            guard let sign = pair.firstIndex(of: "="), sign > pair.startIndex,
                let name = pair[..<sign].trimmingCharacters(in: .whitespaces).removingPercentEncoding,
                let value = pair[pair.index(after: sign)...].trimmingCharacters(in: .whitespaces)
                    .removingPercentEncoding
            else {
                throw ConfigurationError(
                    key, "must be name=value with commas between, and what is no plain character percent-encoded")
            }
            return (name, value)
        }
    }

    private static func authorities(_ source: ConfigurationSource) throws -> [NIOSSLCertificate]? {
        guard let file = source.string(.tracingCAFile), !file.isEmpty else { return nil }
        guard let all = try? NIOSSLCertificate.fromPEMFile(file), !all.isEmpty else {
            throw ConfigurationError(.tracingCAFile, "there is no certificate in \(file) that can be read")
        }
        return all
    }

    // MARK: Requests

    /// How long an answer may take.
    static let patienceSeconds = 10

    func pool(patience seconds: Int = patienceSeconds) -> PoolConfiguration {
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
                HTTP2Field("accept", "application/json"), HTTP2Field("user-agent", "martlet/\(Worker.version)"),
            ] + headers)
    }
}
