package import Addressing
package import HTTP2Pool
package import Metering
import NIOSSL

/// How to reach FCM and how hard to use it.
package struct FCMConfiguration: Sendable {
    /// Google: `fcm.googleapis.com`, port 443.
    package var endpoint = Endpoint(host: "fcm.googleapis.com", port: 443)
    /// Where a service account's `token_uri` may point beside Google's own hosts.
    package var tokenEndpoint: Endpoint?
    /// PEM file with the authorities to trust in place of the system's.
    package var authorityFile: String?
    /// The way out for those who have no other.
    package var proxy: HTTPProxy?
    /// Most connections of one credential.
    package var maximumConnections = 32
    /// How long an answer may take, in seconds; Google asks for 10 at least.
    package var requestTimeoutSeconds = 30
    /// How long one address may take for connecting and the TLS handshake together, in seconds.
    package var connectTimeoutSeconds = 5
    /// Messages of a project that all workers together send in a minute; Google's own default is 600,000.
    package var quotaPerMinute = 600_000
    /// How long something that FCM refuses is first left alone.
    package var breakMilliseconds: Int64 = 15_000
    /// So long a retired credential goes on being used for what waits.
    package var retirementSeconds: Int64 = 1
    /// So long may pushes wait while nothing at all is answered.
    package var silenceMilliseconds: Int64 = 10_000
    /// Where pools count; nil: they don't.
    package var metrics: MetricRegistry?
    package var resolve: PoolConfiguration.Resolver = SystemResolver.addresses
    /// Of all that are made from this configuration.
    let lookups = NameLookups()

    package init() {}

    /// Google ends a connection over one stream more than it allows, and over PINGs.
    private static let maximumStreams = 100
    /// Of which so many are kept for the urgent lane.
    private static let urgentStreams = 10
    /// Google ends idle connections after three minutes; we are first.
    private static let idleSeconds = 120
    /// Google's own answers have a few hundred bytes; a proxy's error page has several thousand.
    package static let maximumAnswerBytes = 65_536

    func pool() -> PoolConfiguration {
        var pool = pool(to: endpoint, service: "FCM")
        pool.maximumConnections = maximumConnections
        pool.maximumStreams = Self.maximumStreams
        pool.urgentStreams = Self.urgentStreams
        pool.sendsPings = false
        pool.maximumAnswerBytes = Self.maximumAnswerBytes
        pool.idleSeconds = Self.idleSeconds
        pool.keepsLast = false
        return pool
    }

    func pool(to endpoint: Endpoint, service: String) -> PoolConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorityFile { tls.trustRoots = .file(authorityFile) }
        return PoolConfiguration(
            service: service, endpoint: endpoint, proxy: proxy, tls: tls, sendsPings: false,
            requestTimeoutSeconds: requestTimeoutSeconds, connectTimeoutSeconds: connectTimeoutSeconds,
            resolve: resolve, lookups: lookups)
    }
}
