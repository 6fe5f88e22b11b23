public import AMQPClient
public import APNSOutput
public import CredentialStore
public import DeliveryPipeline
import Foundation
import HTTP2Pool
public import Logging
public import PostgresClient
import PushModel

/// Each part's configuration, read when it is needed: a command that never touches the broker asks for no
/// broker.
extension ConfigurationSource {
    public func broker() throws -> AMQPConfiguration {
        do {
            var broker = try AMQPConfiguration(url: try required(.amqpURL))
            if let file = string(.amqpCAFile), !file.isEmpty { broker.tls?.authorityFile = file }
            return broker
        } catch let error as AMQPError {
            throw ConfigurationError(.amqpURL, error.message)
        }
    }

    public func names() throws -> PipelineNames {
        let prefix = try required(.amqpPrefix)
        // AMQP's names have up to 255 bytes, and ours go on after it.
        guard prefix.utf8.count <= 100 else { throw ConfigurationError(.amqpPrefix, "has more than 100 bytes") }
        return PipelineNames(prefix: prefix)
    }

    public func database(applicationName: String) throws -> PostgresConfiguration {
        do {
            return try PostgresConfiguration(url: try required(.databaseURL), applicationName: applicationName)
        } catch let error as PostgresError {
            throw ConfigurationError(.databaseURL, error.message)
        }
    }

    /// From a file, which is read again when it changes, or from the configuration itself, which never is.
    public func keyring() throws -> MasterKeyring {
        if let keys = string(.keyringKeys), !keys.isEmpty {
            guard (string(.keyringFile) ?? "").isEmpty else {
                throw ConfigurationError(.keyringKeys, "and keyring.file are both set: which of them is meant?")
            }
            do {
                return try MasterKeyring(text: keys.replacing(",", with: "\n"), source: "in the configuration")
            } catch {
                throw ConfigurationError(.keyringKeys, error.message)
            }
        }
        do {
            return try MasterKeyring(file: try required(.keyringFile))
        } catch let error as CredentialStoreError {
            throw ConfigurationError(.keyringFile, error.message)
        }
    }

    public func apns() throws -> APNSConfiguration {
        let authorityFile = string(.apnsCAFile).flatMap { $0.isEmpty ? nil : $0 }
        if let authorityFile, !FileManager.default.isReadableFile(atPath: authorityFile) {
            throw ConfigurationError(.apnsCAFile, "there is no file \(authorityFile) that can be read")
        }
        var apns = APNSConfiguration(
            production: try endpoint(.apnsProduction), sandbox: try endpoint(.apnsSandbox),
            broadcastProduction: try endpointIfSet(.apnsBroadcastProduction),
            broadcastSandbox: try endpointIfSet(.apnsBroadcastSandbox),
            channelsProduction: try endpoint(.apnsChannelsProduction),
            channelsSandbox: try endpoint(.apnsChannelsSandbox), authorityFile: authorityFile,
            verifiesCertificates: try verifiesAPNSCertificates(), proxy: try apnsProxy(),
            maximumConnections: try integer(.apnsMaximumConnections, in: 1...1_000),
            requestTimeoutSeconds: try integer(.apnsRequestTimeout, in: 1...3_600))
        if apns.verifiesCertificates, apns.proxy != nil { try checkAPNSNames() }
        apns.urgentStreams = try integer(.apnsUrgentStreams, in: 0...1_000)
        return apns
    }

    /// A certificate is compared with a name, or with the address that the socket is connected to, which is the proxy's.
    private func checkAPNSNames() throws {
        for key in [
            ConfigurationKey.apnsProduction, .apnsSandbox, .apnsBroadcastProduction, .apnsBroadcastSandbox,
            .apnsChannelsProduction, .apnsChannelsSandbox,
        ] {
            guard let endpoint = try endpointIfSet(key), endpoint.isAddress else { continue }
            throw ConfigurationError(
                key, "is \(endpoint.host), an address, which can't be verified through apns.proxy: give its name")
        }
    }

    private func verifiesAPNSCertificates() throws -> Bool {
        switch try required(.apnsCertificateVerification) {
        case "full": return true
        case "none": break
        case let other: throw ConfigurationError(.apnsCertificateVerification, "is \(other), but must be full or none")
        }
        // Channels are managed by people, with a command of its own, which refuses Apple's hosts itself.
        for key in [ConfigurationKey.apnsProduction, .apnsSandbox, .apnsBroadcastProduction, .apnsBroadcastSandbox] {
            guard let endpoint = try endpointIfSet(key), endpoint.isApple else { continue }
            throw ConfigurationError(
                .apnsCertificateVerification,
                "is none, which is for test hosts only, but \(key.rawValue) is \(endpoint.host)")
        }
        return false
    }

    private func apnsProxy() throws -> HTTPProxy? {
        guard let url = string(.apnsProxy), !url.isEmpty else { return nil }
        guard let proxy = HTTPProxy(url: url) else {
            throw ConfigurationError(
                .apnsProxy, "must be http://[user:password@]host:port, user and password percent-encoded")
        }
        return proxy
    }

    private func endpoint(_ key: ConfigurationKey) throws -> Endpoint {
        let (host, port) = try hostAndPort(key)
        return .init(host: host, port: port)
    }

    private func endpointIfSet(_ key: ConfigurationKey) throws -> Endpoint? {
        string(key).flatMap { $0.isEmpty ? nil : $0 } == nil ? nil : try endpoint(key)
    }

    public func pipeline() throws -> PipelineConfiguration {
        var pipeline = PipelineConfiguration(
            names: try names(), worker: try workerName(),
            prefetch: [
                .urgent: try integer(.amqpPrefetchUrgent, in: 1...65_535),
                .normal: try integer(.amqpPrefetchNormal, in: 1...65_535),
                .bulk: try integer(.amqpPrefetchBulk, in: 1...65_535),
            ],
            maximumInFlight: try integer(.workerMaximumInFlight, in: 1...10_000_000),
            maximumOutcomesPerEvent: try integer(.resultsMaximumOutcomes, in: 1...10_000),
            maximumWaitMilliseconds: try integer(.resultsMaximumWait, in: 0...10_000),
            retry: RetryPolicy(
                delays: try retryDelays(), maximumAttempts: try integer(.retryMaximumAttempts, in: 1...1_000),
                maximumAge: try integer(.retryMaximumAge, in: 1...30 * 86_400)))
        pipeline.prefetchBytes = try integer(.amqpPrefetchBytes, in: 1_000_000...17_179_869_184)
        pipeline.limits.appShare = try integer(.workerAppShare, in: 1...100)
        pipeline.limits.urgentShare = try integer(.workerUrgentShare, in: 0...90)
        pipeline.limits.chunkSize = try integer(.jobsChunkSize, in: 1...100_000)
        pipeline.limits.maximumJobBytes = try integer(.jobsMaximumBytes, in: 1_000...536_870_912)
        pipeline.limits.maximumRecipients = try integer(.jobsMaximumRecipients, in: 1...10_000_000)
        pipeline.limits.deduplicationWindow = try integer(.jobsDeduplicationWindow, in: 0...30 * 86_400)
        pipeline.limits.atMostOnceWindow = try integer(.jobsAtMostOnceWindow, in: 3600...365 * 86_400)
        return pipeline
    }

    private func retryDelays() throws -> [Int] {
        let text = try required(.retryDelays)
        let delays = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Int($0.trimmingCharacters(in: .whitespaces)) ?? 0
        }
        guard (1...10).contains(delays.count), delays.allSatisfy({ (1...86_400).contains($0) }),
            zip(delays, delays.dropFirst()).allSatisfy({ $0 < $1 })
        else {
            throw ConfigurationError(
                .retryDelays, "is \(text), but must be 1 to 10 rising numbers of seconds up to 86400, like 5,30,120")
        }
        return delays
    }

    /// nil: dead tokens are sent to as others are.
    func deadTokens() throws -> DeadTokenFeed.Configuration? {
        var feed = DeadTokenFeed.Configuration()
        feed.maximumBytes = try integer(.suppressionMemory, in: 1...65_536) << 20
        return try boolean(.suppressionEnabled) ? feed : nil
    }

    /// The configured name, else the host's.
    public func workerName() throws -> String {
        let name = string(.workerName) ?? ProcessInfo.processInfo.hostName
        guard !name.isEmpty, name.utf8.count <= 100 else {
            throw ConfigurationError(.workerName, "must have 1 to 100 bytes")
        }
        return name
    }

    public func logLevel() throws -> Logger.Level {
        let name = try required(.logLevel)
        guard let level = Logger.Level(rawValue: name) else {
            throw ConfigurationError(.logLevel, "is \(name), but must be \(ConfigurationKey.logLevel.explanation)")
        }
        return level
    }
}
