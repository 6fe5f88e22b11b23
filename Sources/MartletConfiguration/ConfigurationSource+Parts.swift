package import AMQPClient
package import Contract
package import DeliveryPipeline
import Foundation
package import Logging
package import PostgresClient
import PushModel
package import Store

/// The configuration of each component, which is read on demand. A command that does not use the broker needs no broker
/// configuration.
extension ConfigurationSource {
    package func broker() throws -> AMQPConfiguration {
        do {
            let url = try required(.amqpURL)
            var broker = try AMQPConfiguration(url: url)
            if let file = string(.amqpCAFile), !file.isEmpty { broker.tls?.authorityFile = file }
            if let path = secretFiles[.amqpURL] { try broker.readPasswordAgain(from: path, first: url) }
            return broker
        } catch let error as AMQPError {
            throw ConfigurationError(.amqpURL, error.message)
        }
    }

    package func names() throws -> PipelineNames {
        let prefix = try required(.amqpPrefix)
        // An AMQP name has at most 255 bytes, and Martlet appends its own names to the prefix.
        guard prefix.utf8.count <= 100 else { throw ConfigurationError(.amqpPrefix, "has more than 100 bytes") }
        return PipelineNames(prefix: prefix)
    }

    package func database(applicationName: String) throws -> PostgresConfiguration {
        do {
            var database = try PostgresConfiguration(
                url: try required(.databaseURL), applicationName: applicationName)
            secretFiles[.databaseURL].map { database.readAgain(from: $0, applicationName) }
            return database
        } catch let error as PostgresError {
            throw ConfigurationError(.databaseURL, error.message)
        }
    }

    /// Returns the keyring. A keyring file is read again when it changes, but keys in the configuration are not.
    package func keyring() throws -> MasterKeyring {
        if let keys = string(.keyringKeys), !keys.isEmpty {
            guard (string(.keyringFile) ?? "").isEmpty else {
                throw ConfigurationError(.keyringKeys, "and keyring.file are both set; set only one of them")
            }
            do {
                return try MasterKeyring(text: keys.replacing(",", with: "\n"), source: "in the configuration")
            } catch {
                throw ConfigurationError(.keyringKeys, error.message)
            }
        }
        do {
            return try MasterKeyring(file: try required(.keyringFile))
        } catch let error as StoreError {
            throw ConfigurationError(.keyringFile, error.message)
        }
    }

    /// Checks the settings of all outputs.
    ///
    /// - Throws: ``ConfigurationError`` if an output rejects its settings.
    package func checkOutputs() throws {
        for output in outputs { try check(output) }
    }

    private func check(_ output: some OutputPlugin) throws {
        try withSettings(of: output) { settings in
            try output.check(settings)
            try settings.checkKinds()
        }
    }

    package func pipeline() throws -> PipelineConfiguration {
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
        pipeline.provision = try provision()
        pipeline.prefetchBytes = try integer(.amqpPrefetchBytes, in: 1_000_000...17_179_869_184)
        pipeline.limits.appShare = try integer(.workerAppShare, in: 1...100)
        pipeline.limits.urgentShare = try integer(.workerUrgentShare, in: 0...90)
        pipeline.limits.longestWait = try integer(.workerLongestWait, in: 10...86_400)
        pipeline.limits.chunkSize = try integer(.jobsChunkSize, in: 1...100_000)
        pipeline.limits.maximumJobBytes = try integer(.jobsMaximumBytes, in: 1_000...536_870_912)
        pipeline.limits.maximumRecipients = try integer(.jobsMaximumRecipients, in: 1...10_000_000)
        pipeline.limits.deduplicationWindow = try integer(.jobsDeduplicationWindow, in: 0...30 * 86_400)
        pipeline.limits.atMostOnceWindow = try integer(.jobsAtMostOnceWindow, in: 3600...365 * 86_400)
        pipeline.limits.jobLog = try jobLog()
        return pipeline
    }

    /// Returns whether workers declare exchanges and queues, or require that an operator has declared them.
    package func provision() throws -> AMQPTopology.Provision {
        try boolean(.amqpDeclare)
            ? .declared
            : .required(remedy: "with amqp.declare: false an administrator creates it; 'martlet topology' prints it")
    }

    /// Returns the time for which a delay queue keeps a job of a paused app, in seconds, or `nil` if there are no delay
    /// queues.
    package func pauseDelay() throws -> Int? { RetryPolicy(delays: try retryDelays()).shortestHold }

    private func retryDelays() throws -> [Int] {
        let text = try required(.retryDelays)
        let delays = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Int($0.trimmingCharacters(in: .whitespaces)) ?? 0
        }
        guard (1...10).contains(delays.count), delays.allSatisfy({ (1...86_400).contains($0) }),
            zip(delays, delays.dropFirst()).allSatisfy({ $0 < $1 })
        else {
            throw ConfigurationError(
                .retryDelays, "is \(text), but must be 1 to 10 rising numbers of seconds up to 86400, such as 5,30,120")
        }
        return delays
    }

    /// Returns the configuration of the feed of dead tokens, or `nil` if pushes to dead tokens are not suppressed.
    package func deadTokens() throws -> DeadTokenFeed.Configuration? {
        var feed = DeadTokenFeed.Configuration()
        feed.maximumBytes = try integer(.suppressionMemory, in: 1...65_536) << 20
        return try boolean(.suppressionEnabled) ? feed : nil
    }

    /// Returns the configured name of the worker, or the host name if no name is configured.
    package func workerName() throws -> String {
        let name = string(.workerName) ?? ProcessInfo.processInfo.hostName
        guard !name.isEmpty, name.utf8.count <= 100 else {
            throw ConfigurationError(.workerName, "must have 1 to 100 bytes")
        }
        return name
    }

    package func logLevel() throws -> Logger.Level {
        let name = try required(.logLevel)
        guard let level = Logger.Level(rawValue: name) else {
            throw ConfigurationError(.logLevel, "is \(name), but must be \(ConfigurationKey.logLevel.explanation)")
        }
        return level
    }

    package func logFormat() throws -> LogFormat {
        let name = try required(.logFormat)
        guard let format = LogFormat(rawValue: name) else {
            throw ConfigurationError(.logFormat, "is \(name), but must be text or json")
        }
        return format
    }

    package func jobLog() throws -> JobLog {
        let text = try required(.logJobs)
        guard let jobs = JobLog(text) else {
            throw ConfigurationError(
                .logJobs,
                "is \(text), but must be none, problems, all or sample: and a share from 0 to 1, such as sample:0.01")
        }
        return jobs
    }
}
