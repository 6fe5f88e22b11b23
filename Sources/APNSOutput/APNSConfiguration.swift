package import Foundations
package import HTTP2Pool
package import Metering
import NIOSSL
package import PushModel

/// The hosts, limits and timeouts that the output uses for APNs.
package struct APNSConfiguration: Sendable {
    /// The host for device pushes in production. Apple's is `api.push.apple.com`, port 443 or 2197.
    package var production: Endpoint
    /// The host for device pushes in the sandbox. Apple's is `api.sandbox.push.apple.com`, port 443 or 2197.
    package var sandbox: Endpoint
    /// The host for broadcasts to channels in production, or `nil` to use the host for device pushes. Apple documents
    /// both the ordinary hosts and `api-broadcast[.sandbox].push.apple.com`.
    package var broadcastProduction: Endpoint?
    package var broadcastSandbox: Endpoint?
    /// The host that manages the channels in production. Apple's is `api-manage-broadcast.push.apple.com`, port 2196.
    package var channelsProduction: Endpoint
    /// The host that manages the channels in the sandbox. Apple's is `api-manage-broadcast.sandbox.push.apple.com`,
    /// port 2195.
    package var channelsSandbox: Endpoint
    /// The path of a PEM file with the certificate authorities to trust, or `nil` to trust the system's.
    package var authorityFile: String?
    /// Whether the certificates of servers are verified. If `false`, any certificate is accepted, which is meant for
    /// test hosts. Credentials then can't be used with Apple's hosts.
    package var verifiesCertificates: Bool
    /// The HTTP proxy for all connections, or `nil` to connect directly.
    package var proxy: HTTPProxy?
    /// The maximum number of connections of one credential to one environment.
    package var maximumConnections: Int
    /// The number of streams on each connection that are reserved for the urgent lane. At most a tenth of a
    /// connection's streams are reserved.
    package var urgentStreams = 20
    /// The time limit for an answer, in seconds.
    package var requestTimeoutSeconds: Int
    /// The time limit for connecting and the TLS handshake with one address, in seconds. The same limit applies again
    /// to the wait for the server's SETTINGS frame.
    package var connectTimeoutSeconds: Int
    /// The length of the first pause after APNs refuses a credential or topic, in milliseconds.
    package var breakMilliseconds: Int64 = 15_000
    /// The time for which waiting pushes still use a retired credential, in seconds. A worker must apply a change
    /// within five seconds, and may need three of them to notice a change whose notification it missed.
    package var retirementSeconds: Int64 = 1
    /// The time without an answer after which the token store counts as unavailable, in milliseconds. If no usable
    /// token is left, pushes then wait in the broker.
    package var tokenPatienceMilliseconds: Int64 = 5_000
    /// The time without any answer from APNs after which its pushes wait in the broker, in milliseconds. In a worker
    /// they would occupy capacity that other apps need.
    package var silenceMilliseconds: Int64 = 10_000
    /// The registry for the metrics of pools, or `nil` for no metrics.
    package var metrics: MetricRegistry?
    package var resolve: PoolConfiguration.Resolver = SystemResolver.addresses
    /// The service that looks up names. All pools with this configuration share it.
    let lookups = NameLookups()

    package init(
        production: Endpoint = Endpoint(host: "api.push.apple.com", port: 443),
        sandbox: Endpoint = Endpoint(host: "api.sandbox.push.apple.com", port: 443),
        broadcastProduction: Endpoint? = nil, broadcastSandbox: Endpoint? = nil,
        channelsProduction: Endpoint = Endpoint(host: "api-manage-broadcast.push.apple.com", port: 2196),
        channelsSandbox: Endpoint = Endpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195),
        authorityFile: String? = nil, verifiesCertificates: Bool = true, proxy: HTTPProxy? = nil,
        maximumConnections: Int = 16, requestTimeoutSeconds: Int = 60, connectTimeoutSeconds: Int = 5
    ) {
        self.production = production
        self.sandbox = sandbox
        self.broadcastProduction = broadcastProduction
        self.broadcastSandbox = broadcastSandbox
        self.channelsProduction = channelsProduction
        self.channelsSandbox = channelsSandbox
        self.authorityFile = authorityFile
        self.verifiesCertificates = verifiesCertificates
        self.proxy = proxy
        self.maximumConnections = maximumConnections
        self.requestTimeoutSeconds = requestTimeoutSeconds
        self.connectTimeoutSeconds = connectTimeoutSeconds
    }

    /// Returns the host for device pushes.
    package func endpoint(for environment: PushEnvironment) -> Endpoint {
        switch environment {
        case .production: production
        case .sandbox: sandbox
        }
    }

    func broadcastEndpoint(for environment: PushEnvironment) -> Endpoint? {
        switch environment {
        case .production: broadcastProduction
        case .sandbox: broadcastSandbox
        }
    }

    func channelsEndpoint(for environment: PushEnvironment) -> Endpoint {
        switch environment {
        case .production: channelsProduction
        case .sandbox: channelsSandbox
        }
    }
}

extension APNSConfiguration {
    /// Returns the pool settings for a host and a credential.
    ///
    /// - Throws: an error if the credential's certificate cannot be used, or if the host is Apple's and certificates
    ///   are not verified.
    func pool(to endpoint: Endpoint, with credential: Credential) throws -> PoolConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorityFile { tls.trustRoots = .file(authorityFile) }
        if !verifiesCertificates {
            guard !endpoint.isApple else { throw APNSOutputError.verificationRequired(host: endpoint.host) }
            tls.certificateVerification = .none
        }
        if case .certificate(let chain, let key) = credential.kind {
            tls.certificateChain = try chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) }
            tls.privateKey = .privateKey(try key.withBytes { try NIOSSLPrivateKey(bytes: $0, format: .der) })
        }
        return PoolConfiguration(
            service: "APNs", endpoint: endpoint, proxy: proxy, tls: tls, maximumConnections: maximumConnections,
            urgentStreams: urgentStreams, requestTimeoutSeconds: requestTimeoutSeconds,
            connectTimeoutSeconds: connectTimeoutSeconds, resolve: resolve, lookups: lookups)
    }
}

extension Endpoint {
    /// Whether the host is one of Apple's push hosts, which end in `.push.apple.com`.
    package var isApple: Bool {
        let name = host.lowercased()
        return ".\(name.hasSuffix(".") ? String(name.dropLast()) : name)".hasSuffix(".push.apple.com")
    }
}
