import Addressing
package import HTTP2Pool
package import Metering
import NIOCore
import NIOSSL
import PushModel

/// How to reach push services, and which.
package struct WebPushConfiguration: Sendable {
    package let hosts: AllowedHosts
    /// PEM file with the authorities to trust in place of the system's.
    package var authorityFile: String?
    /// The way out for those who have no other.
    package var proxy: HTTPProxy?
    /// Of all origins together.
    package var maximumConnections = 1_024
    /// How long an answer may take, in seconds.
    package var requestTimeoutSeconds = 60
    /// How long one address may take for connecting and the TLS handshake together, in seconds; as long
    /// again for its SETTINGS.
    package var connectTimeoutSeconds = 5
    /// What a service may keep a message for, in seconds, where the job says no deadline.
    package var defaultTTL = WebPushRequest.maximumTTL
    /// How long something that is refused is first left alone.
    package var breakMilliseconds: Int64 = 15_000
    /// So long a retired credential goes on being used for what waits.
    package var retirementSeconds: Int64 = 1
    /// So long may messages to an origin wait while nothing at all is answered there.
    package var silenceMilliseconds: Int64 = 10_000
    /// Of one event loop and one entry of the list of hosts; a browser's service has one or a few, UnifiedPush has any
    /// number.
    package var maximumOrigins = 256
    /// Where pools count; nil: they don't.
    package var metrics: MetricRegistry?
    package var resolve: PoolConfiguration.Resolver = SystemResolver.addresses
    /// Of each entry of the list of hosts, so that no name waits for those of strangers.
    private let lookups: [NameLookups]
    private let sharedTLS = SharedTLS()
    /// Of one origin and one event loop.
    package var connectionsOfOrigin = 16
    package var idleSeconds = 60

    package init(hosts: AllowedHosts) {
        self.hosts = hosts
        lookups = (0..<hosts.entries).map { _ in NameLookups() }
    }

    /// How many event loops share the connections: each must have some, for several origins.
    func shards(of eventLoops: Int) -> Int { min(eventLoops, max(1, maximumConnections / connectionsOfOrigin)) }

    /// - Parameters:
    ///   - entry: of the list of hosts.
    ///   - limit: of the event loop's connections.
    func pool(to origin: Endpoint, allowedBy entry: Int, sharing limit: SharedConnectionLimit) -> PoolConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorityFile { tls.trustRoots = .file(authorityFile) }
        var pool = PoolConfiguration(
            service: "a push service", endpoint: origin, proxy: proxy, tls: tls,
            maximumConnections: min(connectionsOfOrigin, maximumConnections), sharedLimit: limit,
            urgentStreams: 20, requestTimeoutSeconds: requestTimeoutSeconds,
            connectTimeoutSeconds: connectTimeoutSeconds, resolve: resolve, lookups: lookups[entry])
        pool.labels = metrics.map {
            PoolLabels(
                $0, output: "webpush", environment: PushEnvironment.production.rawValue, host: hosts.name(of: entry))
        }
        pool.sharedTLS = sharedTLS
        pool.protocols = .http2OrHTTP1
        pool.keepsLast = false
        pool.idleSeconds = idleSeconds
        if !hosts.mayBePrivate(origin) { pool.allowsAddress = AddressRules.isPublic }
        return pool
    }
}
