internal import Foundations
package import HTTP2Pool
internal import NIOSSL
internal import PushModel

/// The limits and timeouts of a ``ProviderSender``.
package struct ProviderConfiguration: Sendable {
    /// The path of a PEM file with the certificate authorities to trust, or `nil` for the system's.
    package var authorityFile: String?
    package var proxy: HTTPProxy?
    /// The maximum number of connections of one pool, which belongs to one credential and one environment.
    package var maximumConnections = 32
    package var requestTimeoutSeconds = 30
    package var connectTimeoutSeconds = 5
    /// The length of a breaker's first opening after the provider refuses a credential, in milliseconds.
    package var breakMilliseconds: Int64 = 15_000
    /// The time for which waiting pushes still use a retired credential, in seconds.
    package var retirementSeconds: Int64 = 1
    package var resolve: PoolConfiguration.Resolver = SystemResolver.addresses
    /// The name look-ups that all pools with this configuration share.
    private let lookups = NameLookups()

    /// The maximum size of an answer, in bytes. A proxy's error page has several thousand.
    private static let maximumAnswerBytes = 65_536

    static let settings = [
        OutputSetting("ca_file", help: "PEM file with an authority to trust instead of the system's"),
        OutputSetting("proxy", isSecret: true, help: "proxy for connections, as http://[user:password@]host:port"),
        OutputSetting(
            "maximum_connections", .integer(1...1_000), default: "32", help: "maximum connections of one credential"),
        OutputSetting("request_timeout", .integer(1...3_600), default: "30", help: "seconds to wait for an answer"),
    ]

    /// Creates a configuration from the output's settings. Settings that the output does not have keep their defaults.
    ///
    /// - Throws: `SettingFault` if a setting is invalid.
    init(_ settings: OutputSettings) throws(SettingFault) {
        authorityFile = try settings.authorityFile()
        proxy = try settings.proxy()
        if settings["maximum_connections"] != nil {
            maximumConnections = try settings.integer("maximum_connections")
        }
        if settings["request_timeout"] != nil { requestTimeoutSeconds = try settings.integer("request_timeout") }
    }

    /// Returns the connection settings for a server.
    ///
    /// - Parameter service: The provider's name in the log.
    func pool(to endpoint: Endpoint, service: String) -> PoolConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorityFile { tls.trustRoots = .file(authorityFile) }
        var pool = PoolConfiguration(
            service: service, endpoint: endpoint, proxy: proxy, tls: tls, maximumConnections: maximumConnections,
            urgentStreams: 10, sendsPings: false, requestTimeoutSeconds: requestTimeoutSeconds,
            connectTimeoutSeconds: connectTimeoutSeconds, maximumAnswerBytes: Self.maximumAnswerBytes,
            resolve: resolve, lookups: lookups)
        pool.protocols = .http2OrHTTP1
        // A middlebox may silently drop an idle connection. Without PINGs, this would go unnoticed.
        pool.idleSeconds = 60
        pool.keepsLast = false
        return pool
    }
}
