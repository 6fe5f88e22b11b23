package import Addressing
import Foundation
package import HTTP2Pool
package import Metering
import NIOSSL
import PushModel

/// How receivers are reached, and which of them may be where.
package struct WebhookConfiguration: Sendable {
    /// Those that may have private addresses and speak in the clear; lower case.
    package var privateHosts: Set<Endpoint> = []
    package var proxy: HTTPProxy?
    /// PEM, trusted instead of the system's authorities.
    package var authorityFile: String?
    /// Most batches of one credential at a time.
    package var maximumBatches = 128
    /// Most recipients of one batch.
    package var maximumRecipients = BatchLimits.recipients
    package var requestTimeoutSeconds = 30
    package var connectTimeoutSeconds = 5
    /// How long a credential that was refused is first left alone.
    package var breakMilliseconds: Int64 = 15_000
    /// How long what waits for a retired credential may still be sent.
    package var retirementSeconds: Int64 = 1
    /// Where pools count; nil: they don't.
    package var metrics: MetricRegistry?
    package var resolve: PoolConfiguration.Resolver = SystemResolver.addresses
    package var lookups = NameLookups()

    package init() {}

    /// - Throws: ``WebhookFault`` for a URL that may not be used.
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
        // What is between may forget a connection, without a word, and no PING would tell.
        pool.idleSeconds = 60
        pool.keepsLast = false
        if !isNamed { pool.allowsAddress = AddressRules.isPublic }
        return pool
    }
}
