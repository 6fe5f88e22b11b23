public import Addressing
public import HTTP2Pool
package import Metering
import NIOSSL
public import PushModel

/// How to reach APNs and how hard to use it.
public struct APNSConfiguration: Sendable {
    /// Apple: `api.push.apple.com`, port 443 or 2197.
    public var production: Endpoint
    /// Apple: `api.sandbox.push.apple.com`, port 443 or 2197.
    public var sandbox: Endpoint
    /// Where broadcasts to channels are sent; nil: where device pushes are. Apple's pages name both the ordinary
    /// hosts and `api-broadcast[.sandbox].push.apple.com`.
    public var broadcastProduction: Endpoint?
    public var broadcastSandbox: Endpoint?
    /// Where channels are managed. Apple: `api-manage-broadcast.push.apple.com`, port 2196.
    public var channelsProduction: Endpoint
    /// Apple: `api-manage-broadcast.sandbox.push.apple.com`, port 2195.
    public var channelsSandbox: Endpoint
    /// PEM file with the authorities to trust in place of the system's.
    public var authorityFile: String?
    /// False: any certificate will do. For test hosts: a credential for one of Apple's can't be used then.
    public var verifiesCertificates: Bool
    /// The way out for those who have no other.
    public var proxy: HTTPProxy?
    /// Most connections of one credential to one environment.
    public var maximumConnections: Int
    /// Streams of each connection kept free for the urgent lane; never more than a tenth.
    public var urgentStreams = 20
    /// How long an answer may take, in seconds.
    public var requestTimeoutSeconds: Int
    /// How long one address may take for connecting and the TLS handshake together, in seconds; as long
    /// again for its SETTINGS.
    public var connectTimeoutSeconds: Int
    /// How long something that APNs refuses is first left alone.
    package var breakMilliseconds: Int64 = 15_000
    /// So long a retired credential goes on being used for what waits, which may be a campaign. A worker that missed
    /// the notification has three of its five seconds left.
    package var retirementSeconds: Int64 = 1
    /// With no provider token after so long the database counts as away, and pushes wait in the broker.
    package var tokenPatienceMilliseconds: Int64 = 5_000
    /// So long may pushes wait while nothing at all is answered. They take room that the pushes of other apps need.
    package var silenceMilliseconds: Int64 = 10_000
    /// Where pools count; nil: they don't.
    package var metrics: MetricRegistry?
    package var resolve: PoolConfiguration.Resolver = SystemResolver.addresses
    /// Of all that are made from this configuration.
    let lookups = NameLookups()

    public init(
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

    /// Where device pushes go.
    public func endpoint(for environment: PushEnvironment) -> Endpoint {
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
    /// - Throws: when the credential's certificate can't be used, or must not be with this host.
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
    /// One of Apple's own hosts.
    public var isApple: Bool {
        let name = host.lowercased()
        return ".\(name.hasSuffix(".") ? String(name.dropLast()) : name)".hasSuffix(".push.apple.com")
    }
}
