/// A configuration key. Reading and validation use this definition.
package struct ConfigurationKey: Sendable, Hashable {
    /// The name of the key in the configuration file, such as `amqp.url`.
    package let rawValue: String
    /// The value if nothing sets the key, or `nil` if the key has no default.
    package let defaultValue: String?
    /// Whether the value may contain a password. Such a value may also come from a file. The file's path is then in the
    /// environment variable of the key with the suffix `_FILE`.
    package let isSecret: Bool
    /// A short description for error messages.
    package let explanation: String

    package init(
        _ name: String, default defaultValue: String? = nil, isSecret: Bool = false, _ explanation: String
    ) {
        rawValue = name
        self.defaultValue = defaultValue
        self.isSecret = isSecret
        self.explanation = explanation
    }

    /// Whether the value is the path of a file, as the suffix of the key shows.
    package var isPath: Bool { rawValue.hasSuffix(".file") || rawValue.hasSuffix("_file") }

    /// The name of the environment variable that sets the key.
    package var environmentVariable: String {
        "MARTLET_" + rawValue.uppercased().replacing(".", with: "_")
    }
}

extension ConfigurationKey {
    package static let amqpURL = ConfigurationKey(
        "amqp.url", isSecret: true, "URL of RabbitMQ: amqp:// or amqps://user:password@host[:port][,host…]/vhost")
    package static let amqpPrefix = ConfigurationKey(
        "amqp.prefix", default: "martlet", "prefix of the names of all exchanges and queues")
    package static let amqpDeclare = ConfigurationKey(
        "amqp.declare", default: "true",
        "true: workers declare missing exchanges and queues; false: the operator declares them")
    package static let amqpCAFile = ConfigurationKey(
        "amqp.ca_file", "PEM file with certificate authorities to trust for amqps")
    package static let amqpPrefetchUrgent = ConfigurationKey(
        "amqp.prefetch.urgent", default: "1000",
        "maximum unacknowledged jobs of the urgent lane")
    package static let amqpPrefetchNormal = ConfigurationKey(
        "amqp.prefetch.normal", default: "4000", "maximum unacknowledged jobs of the normal lane")
    package static let amqpPrefetchBulk = ConfigurationKey(
        "amqp.prefetch.bulk", default: "100", "maximum unacknowledged jobs of the bulk lane")
    package static let amqpPrefetchBytes = ConfigurationKey(
        "amqp.prefetch.bytes", default: "33554432",
        "maximum bytes of unacknowledged jobs on each of three connections to the broker")
    package static let databaseURL = ConfigurationKey(
        "database.url", isSecret: true, "URL of PostgreSQL: postgres://user:password@host:port/database")
    package static let databaseListen = ConfigurationKey(
        "database.listen", default: "true",
        "true: workers receive changes by NOTIFY; false: they poll, as a pooler in transaction mode requires")
    package static let keyringFile = ConfigurationKey(
        "keyring.file", "file with the master keys: lines of key id and 32 bytes in base64, current key first")
    package static let keyringKeys = ConfigurationKey(
        "keyring.keys", isSecret: true,
        "master keys, as in keyring.file, separated by commas or line ends")
    package static let httpListen = ConfigurationKey(
        "http.listen", default: "127.0.0.1:8080", "host:port for health, metrics and the status page; empty for none")
    package static let httpStatus = ConfigurationKey(
        "http.status", default: "true", "whether http.listen serves the status page: true or false")
    package static let httpHosts = ConfigurationKey(
        "http.hosts", "host names in URLs of the status page, besides localhost and addresses, separated by commas")
    package static let httpTokenFile = ConfigurationKey(
        "http.token_file", "file with the token that requests for the status page or the metrics must contain")
    package static let workerName = ConfigurationKey("worker.name", "name of this worker in events and logs")
    package static let workerMaximumInFlight = ConfigurationKey(
        "worker.maximum_in_flight", default: "20000", "maximum recipients in flight in a worker")
    package static let workerDrainTimeout = ConfigurationKey(
        "worker.drain_timeout", default: "30",
        "seconds that a stopping worker finishes jobs before it requeues the rest")
    package static let workerAppShare = ConfigurationKey(
        "worker.app_share", default: "80",
        "percent of worker.maximum_in_flight that active apps share")
    package static let workerUrgentShare = ConfigurationKey(
        "worker.urgent_share", default: "10", "percent of worker.maximum_in_flight reserved for the urgent lane")
    package static let workerLongestWait = ConfigurationKey(
        "worker.longest_wait", default: "1500",
        "seconds that a job may wait in a worker before it is requeued, less than the broker's consumer_timeout"
    )
    package static let jobsChunkSize = ConfigurationKey(
        "jobs.chunk_size", default: "500",
        "maximum recipients of a chunk, into which larger jobs are split; at_most_once jobs always use 500")
    package static let jobsMaximumBytes = ConfigurationKey(
        "jobs.maximum_bytes", default: "134217728", "maximum size of a job, in bytes")
    package static let jobsMaximumRecipients = ConfigurationKey(
        "jobs.maximum_recipients", default: "1000000", "maximum recipients of a job")
    package static let jobsDeduplicationWindow = ConfigurationKey(
        "jobs.deduplication_window", default: "0",
        "seconds in which workers drop duplicates of a job; 0: never")
    package static let jobsAtMostOnceWindow = ConfigurationKey(
        "jobs.at_most_once_window", default: "604800",
        "seconds for which workers remember the id of an at_most_once job")
    package static let resultsMaximumOutcomes = ConfigurationKey(
        "results.maximum_outcomes", default: "500", "maximum outcomes in one event")
    package static let resultsMaximumWait = ConfigurationKey(
        "results.maximum_wait", default: "10", "milliseconds that an outcome waits for others to share its event")
    package static let retryDelays = ConfigurationKey(
        "retry.delays", default: "5,30,120,900,3600",
        "seconds to wait after the first, second, … attempt, in ascending order; each has its own queue")
    package static let retryMaximumAttempts = ConfigurationKey(
        "retry.maximum_attempts", default: "10", "maximum attempts of a push before its outcome is failed")
    package static let retryMaximumAge = ConfigurationKey(
        "retry.maximum_age", default: "86400", "seconds after the first attempt in which a push is retried")
    package static let suppressionEnabled = ConfigurationKey(
        "suppression.enabled", default: "true",
        "true: workers skip device tokens that are marked dead; false: they send to them")
    package static let suppressionMemory = ConfigurationKey(
        "suppression.memory", default: "64", "MB of memory for recognizing dead tokens without a query")
    package static let ledgerSent = ConfigurationKey(
        "ledger.sent", default: "all",
        "accepted pushes that the ledger records: all, none, or a share such as sample:0.01")
    package static let ledgerDays = ConfigurationKey(
        "ledger.days", default: "14", "days for which the ledger keeps outcomes")
    package static let metricsApps = ConfigurationKey(
        "metrics.apps", default: "200",
        "maximum apps with series of their own in the metrics; all other apps share the series other")
    package static let tracingEndpoint = ConfigurationKey(
        "tracing.endpoint",
        "URL of an OTLP collector for traces, such as http://collector:4318; default: OTEL_EXPORTER_OTLP_ENDPOINT"
    )
    package static let logLevel = ConfigurationKey(
        "log.level", default: "info", "trace, debug, info, notice, warning, error or critical")
    package static let logFormat = ConfigurationKey(
        "log.format", default: "text", "text, or json: one object per line, with OpenTelemetry's names")
    package static let logJobs = ConfigurationKey(
        "log.jobs", default: "problems",
        "finished jobs to log: all, none, problems, or a share such as sample:0.01")

    /// The keys that take effect on SIGHUP, without a restart.
    package static let reloadable: [ConfigurationKey] = [
        .workerMaximumInFlight, .workerAppShare, .workerUrgentShare, .workerLongestWait, .jobsChunkSize,
        .jobsMaximumBytes,
        .jobsMaximumRecipients, .jobsDeduplicationWindow, .jobsAtMostOnceWindow, .retryMaximumAttempts,
        .retryMaximumAge, .logLevel, .logFormat, .logJobs,
    ]

    /// All configuration keys except the outputs' keys.
    package static let own: [ConfigurationKey] = [
        .amqpURL, .amqpPrefix, .amqpDeclare, .amqpCAFile, .amqpPrefetchUrgent, .amqpPrefetchNormal,
        .amqpPrefetchBulk, .amqpPrefetchBytes, .databaseURL, .databaseListen, .keyringFile, .keyringKeys, .httpListen,
        .httpStatus, .httpHosts,
        .httpTokenFile, .workerName, .workerMaximumInFlight, .workerDrainTimeout, .workerAppShare, .workerUrgentShare,
        .workerLongestWait,
        .jobsChunkSize,
        .jobsMaximumBytes, .jobsMaximumRecipients, .jobsDeduplicationWindow, .jobsAtMostOnceWindow,
        .resultsMaximumOutcomes, .resultsMaximumWait, .retryDelays, .retryMaximumAttempts, .retryMaximumAge,
        .suppressionEnabled, .suppressionMemory, .ledgerSent, .ledgerDays, .metricsApps, .tracingEndpoint,
        .logLevel, .logFormat,
        .logJobs,
    ]
}
