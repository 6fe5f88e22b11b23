package import Foundations
package import HTTP2Pool
package import Metering
import NIOCore
import NIOSSL
import PushModel

/// The hosts, limits and timeouts that the output uses for push services.
package struct WebPushConfiguration: Sendable {
    package let hosts: AllowedHosts
    /// The path of a PEM file with the certificate authorities to trust, or `nil` for the system's.
    package var authorityFile: String?
    /// The HTTP proxy for all connections, or `nil` to connect directly.
    package var proxy: HTTPProxy?
    /// The maximum number of connections to all origins together.
    package var maximumConnections = 1_024
    /// The time to wait for an answer, in seconds.
    package var requestTimeoutSeconds = 60
    /// The time limit for connecting and the TLS handshake with one address, in seconds. The same limit applies again
    /// to the wait for the server's SETTINGS frame.
    package var connectTimeoutSeconds = 5
    /// The time for which a service may keep a message whose job has no deadline, in seconds.
    package var defaultTTL = WebPushRequest.maximumTTL
    /// The length of the first pause after a service refuses a key, in milliseconds.
    package var breakMilliseconds: Int64 = 15_000
    /// The time for which waiting messages still use a retired credential, in seconds.
    package var retirementSeconds: Int64 = 1
    /// The time without any answer from an origin after which its messages wait in the broker, in milliseconds.
    package var silenceMilliseconds: Int64 = 10_000
    /// The maximum number of origins for each event loop and each entry of the list of allowed hosts. A browser
    /// vendor's service has one or a few origins, but UnifiedPush has any number.
    package var maximumOrigins = 256
    /// The registry for the metrics of pools, or `nil` for no metrics.
    package var metrics: MetricRegistry?
    package var resolve: PoolConfiguration.Resolver = SystemResolver.addresses
    /// The services that look up names, one for each entry of the list of allowed hosts. They are separate, so that
    /// invented names below one entry do not delay look-ups for other entries.
    private let lookups: [NameLookups]
    private let sharedTLS = SharedTLS()
    /// The maximum number of connections from one event loop to one origin.
    package var connectionsOfOrigin = 16
    package var idleSeconds = 60
    /// The hosts of Google's push services, which serve Chrome and unbranded builds of Chromium.
    private static let google: Set = ["fcm.googleapis.com", "jmt17.google.com"]
    /// The maximum time to wait for an answer of Google's services, in seconds. FCM's API has the same limit by default.
    private static let mostSecondsOfGoogle = 30

    package init(hosts: AllowedHosts) {
        self.hosts = hosts
        lookups = (0..<hosts.entries).map { _ in NameLookups() }
    }

    /// Returns the number of event loops that share the connections. If there are several, each one gets at least
    /// ``connectionsOfOrigin`` connections.
    func shards(of eventLoops: Int) -> Int { min(eventLoops, max(1, maximumConnections / connectionsOfOrigin)) }

    /// Returns the connection settings for an origin.
    ///
    /// - Parameters:
    ///   - entry: the index of the entry that allows the origin.
    ///   - limit: the connection limit that all origins of an event loop share.
    package func pool(
        to origin: Endpoint, allowedBy entry: Int, sharing limit: SharedConnectionLimit
    ) -> PoolConfiguration {
        let isGoogle = Self.google.contains(origin.host)
        let timeout = isGoogle ? min(requestTimeoutSeconds, Self.mostSecondsOfGoogle) : requestTimeoutSeconds
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorityFile { tls.trustRoots = .file(authorityFile) }
        var pool = PoolConfiguration(
            service: "a push service", endpoint: origin, proxy: proxy, tls: tls,
            maximumConnections: min(connectionsOfOrigin, maximumConnections), sharedLimit: limit,
            urgentStreams: 20,
            // Google's servers close connections on which clients send PINGs, as with FCM's API. A dead connection is
            // therefore noticed only when an answer is overdue.
            sendsPings: !isGoogle, requestTimeoutSeconds: timeout,
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
