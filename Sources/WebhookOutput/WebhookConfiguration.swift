package import Foundations
import Foundation
package import HTTP2Pool
package import Metering
import NIOSSL
import PushModel

/// The limits and timeouts for batches and connections, and the receivers that may have private addresses.
package struct WebhookConfiguration: Sendable {
    /// The receivers that may have private addresses and use cleartext HTTP, in lower case.
    package var privateHosts: Set<Endpoint> = []
    package var proxy: HTTPProxy?
    /// The path of a PEM file with the certificate authorities to trust, or `nil` for the system's.
    package var authorityFile: String?
    /// The maximum number of batches of one credential on the wire at a time.
    package var maximumBatches = 128
    /// The maximum number of recipients in one batch.
    package var maximumRecipients = BatchLimits.recipients
    package var requestTimeoutSeconds = 30
    package var connectTimeoutSeconds = 5
    /// The length of the first pause after a receiver refuses a credential, in milliseconds.
    package var breakMilliseconds: Int64 = 15_000
    /// The time for which waiting pushes still use a retired credential, in seconds.
    package var retirementSeconds: Int64 = 1
    /// The registry for the metrics of pools, or `nil` for no metrics.
    package var metrics: MetricRegistry?
    package var resolve: PoolConfiguration.Resolver = SystemResolver.addresses
    package var lookups = NameLookups()

    package init() {}

    /// Returns the connection settings for a URL.
    ///
    /// - Throws: ``WebhookFault`` if the configuration does not allow cleartext HTTP to the URL's host.
    package func pool(to url: WebhookURL) throws -> PoolConfiguration {
        let isNamed = privateHosts.contains(url.endpoint)
        guard isNamed || !url.isPlain else {
            throw WebhookFault("the URL begins with http:, and webhook.private_hosts does not name its host and port")
        }
        var tls: TLSConfiguration?
        if !url.isPlain {
            var client = TLSConfiguration.makeClientConfiguration()
            if let authorityFile { client.trustRoots = .file(authorityFile) }
            tls = client
        }
        var pool = PoolConfiguration(
            service: "the webhook", endpoint: url.endpoint, proxy: proxy, tls: tls, maximumConnections: maximumBatches,
            sendsPings: false, requestTimeoutSeconds: requestTimeoutSeconds,
            connectTimeoutSeconds: connectTimeoutSeconds, maximumAnswerBytes: BatchLimits.answerBytes, resolve: resolve,
            lookups: lookups)
        pool.protocols = .http2OrHTTP1
        // Idle connections are closed early, because a middlebox may drop them silently and no PING would detect this.
        pool.idleSeconds = 60
        pool.keepsLast = false
        if !isNamed { pool.allowsAddress = AddressRules.isPublic }
        return pool
    }
}
