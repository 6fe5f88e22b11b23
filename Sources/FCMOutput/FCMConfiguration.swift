package import Foundations
package import HTTP2Pool
package import Metering
import NIOSSL

/// The hosts, limits and timeouts that the output uses for FCM.
package struct FCMConfiguration: Sendable {
    /// The host and port of FCM.
    package var endpoint = Endpoint(host: "fcm.googleapis.com", port: 443)
    /// The endpoint that a service account's `token_uri` may name in addition to Google's, or `nil` for Google's only.
    package var tokenEndpoint: Endpoint?
    /// The path of a PEM file with the certificate authorities to trust, or `nil` for the system's.
    package var authorityFile: String?
    /// The HTTP proxy for all connections, or `nil` to connect directly.
    package var proxy: HTTPProxy?
    /// The maximum number of connections of one credential.
    package var maximumConnections = 32
    /// The time to wait for an answer, in seconds. Google asks for at least 10.
    package var requestTimeoutSeconds = 30
    /// The time limit for connecting and the TLS handshake with one address, in seconds.
    package var connectTimeoutSeconds = 5
    /// The maximum number of messages of a project per minute, for all workers together. Google's default is 600,000.
    package var quotaPerMinute = 600_000
    /// The length of the first pause after FCM refuses a credential, in milliseconds.
    package var breakMilliseconds: Int64 = 15_000
    /// The time for which waiting messages still use a retired credential, in seconds.
    package var retirementSeconds: Int64 = 1
    /// The time without any answer from FCM after which its messages wait in the broker, in milliseconds.
    package var silenceMilliseconds: Int64 = 10_000
    /// The registry for the metrics of pools, or `nil` for no metrics.
    package var metrics: MetricRegistry?
    package var resolve: PoolConfiguration.Resolver = SystemResolver.addresses
    /// The service that looks up names. All pools with this configuration share it.
    let lookups = NameLookups()

    package init() {}

    /// The maximum number of open streams of a connection. Google closes a connection that opens more streams than
    /// allowed, or that sends PINGs.
    private static let maximumStreams = 100
    /// The number of streams of a connection that are reserved for the urgent lane.
    private static let urgentStreams = 10
    /// The time after which an idle connection is closed, in seconds. Google closes connections after three idle
    /// minutes.
    private static let idleSeconds = 120
    /// The maximum size of an answer, in bytes. Google's own answers have a few hundred bytes. A proxy's error page has
    /// several thousand.
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
