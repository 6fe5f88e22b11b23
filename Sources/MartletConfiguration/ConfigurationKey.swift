/// A configuration key. Reading, validation and `--help` all use this definition.
package struct ConfigurationKey: Sendable, Hashable {
    /// The name of the key in the configuration file, such as `amqp.url`.
    package let rawValue: String
    /// The value if nothing sets the key, or `nil` if the key has no default.
    package let defaultValue: String?
    /// Whether the value may contain a password. Such a value may also come from a file. The file's path is then in the
    /// environment variable of the key with the suffix `_FILE`.
    package let isSecret: Bool
    /// A short description for `--help` and for error messages.
    package let explanation: String

    init(
        _ name: String, default defaultValue: String? = nil, isSecret: Bool = false, _ explanation: String
    ) {
        rawValue = name
        self.defaultValue = defaultValue
        self.isSecret = isSecret
        self.explanation = explanation
    }

    /// Whether the value is the path of a file, as the suffix of the key shows.
    var isPath: Bool { rawValue.hasSuffix(".file") || rawValue.hasSuffix("_file") }

    /// The name of the environment variable that sets the key.
    package var environmentVariable: String {
        "MARTLET_" + rawValue.uppercased().replacing(".", with: "_")
    }
}

extension ConfigurationKey {
    package static let amqpURL = ConfigurationKey(
        "amqp.url", isSecret: true, "RabbitMQ, as amqp:// or amqps://user:password@host[:port][,host…]/vhost")
    package static let amqpPrefix = ConfigurationKey(
        "amqp.prefix", default: "martlet", "what the names of all exchanges and queues begin with")
    package static let amqpDeclare = ConfigurationKey(
        "amqp.declare", default: "true",
        "true: exchanges and queues that are missing are declared; false: somebody else makes them")
    package static let amqpCAFile = ConfigurationKey("amqp.ca_file", "PEM file with the authorities to trust for amqps")
    package static let amqpPrefetchUrgent = ConfigurationKey(
        "amqp.prefetch.urgent", default: "1000",
        "jobs of the urgent lane the broker hands out ahead of their acknowledgement")
    package static let amqpPrefetchNormal = ConfigurationKey(
        "amqp.prefetch.normal", default: "4000", "the same for the normal lane")
    package static let amqpPrefetchBulk = ConfigurationKey(
        "amqp.prefetch.bulk", default: "100", "the same for the bulk lane")
    package static let amqpPrefetchBytes = ConfigurationKey(
        "amqp.prefetch.bytes", default: "33554432",
        "bytes of jobs that each of three connections to the broker may hold, however few jobs")
    package static let databaseURL = ConfigurationKey(
        "database.url", isSecret: true, "PostgreSQL, as postgres://user:password@host:port/database")
    package static let databaseListen = ConfigurationKey(
        "database.listen", default: "true",
        "true: changes are told by NOTIFY; false: they are only looked for, as behind a pooler in transaction mode")
    package static let keyringFile = ConfigurationKey(
        "keyring.file", "file with the master keys: lines of key id and base64 of 32 bytes, the current key first")
    package static let keyringKeys = ConfigurationKey(
        "keyring.keys", isSecret: true,
        "the master keys themselves in place of a file, separated by commas or line ends")
    package static let httpListen = ConfigurationKey(
        "http.listen", default: "127.0.0.1:8080", "host:port for health, metrics and the status page; empty for none")
    package static let httpStatus = ConfigurationKey(
        "http.status", default: "true", "true: the status page is shown on http.listen; false: it is not")
    package static let httpHosts = ConfigurationKey(
        "http.hosts", "names by which the status page may be asked for, beside localhost and addresses; commas between")
    package static let httpTokenFile = ConfigurationKey(
        "http.token_file", "file with a token that whoever asks for the status page or the metrics must show")
    package static let workerName = ConfigurationKey("worker.name", "name of this worker in events and logs")
    package static let workerMaximumInFlight = ConfigurationKey(
        "worker.maximum_in_flight", default: "20000", "recipients decoded and not yet settled")
    package static let workerDrainTimeout = ConfigurationKey(
        "worker.drain_timeout", default: "30", "seconds a stop may take before what is left goes back to the broker")
    package static let workerAppShare = ConfigurationKey(
        "worker.app_share", default: "80",
        "percent of worker.maximum_in_flight that one app alone may hold; several hold less each")
    package static let workerUrgentShare = ConfigurationKey(
        "worker.urgent_share", default: "10", "percent of worker.maximum_in_flight kept free for the urgent lane")
    package static let workerLongestWait = ConfigurationKey(
        "worker.longest_wait", default: "1500",
        "seconds a job may wait in a worker before it is requeued; below the broker's consumer_timeout"
    )
    package static let jobsChunkSize = ConfigurationKey(
        "jobs.chunk_size", default: "500",
        "a job with more recipients is split into chunks of so many; one to be sent once, of 500")
    package static let jobsMaximumBytes = ConfigurationKey(
        "jobs.maximum_bytes", default: "134217728", "largest body of a job")
    package static let jobsMaximumRecipients = ConfigurationKey(
        "jobs.maximum_recipients", default: "1000000", "most recipients of a job")
    package static let jobsDeduplicationWindow = ConfigurationKey(
        "jobs.deduplication_window", default: "0",
        "seconds in which a job of the same id is sent once; 0: each is sent")
    package static let jobsAtMostOnceWindow = ConfigurationKey(
        "jobs.at_most_once_window", default: "604800", "seconds for which the id of an at_most_once job is remembered")
    package static let resultsMaximumOutcomes = ConfigurationKey(
        "results.maximum_outcomes", default: "500", "most outcomes in one event")
    package static let resultsMaximumWait = ConfigurationKey(
        "results.maximum_wait", default: "10", "milliseconds an outcome waits for others to share its event")
    package static let retryDelays = ConfigurationKey(
        "retry.delays", default: "5,30,120,900,3600",
        "seconds a push waits after its first, second, … attempt, rising; a queue for each")
    package static let retryMaximumAttempts = ConfigurationKey(
        "retry.maximum_attempts", default: "10", "attempts before a push that is refused for now has failed")
    package static let retryMaximumAge = ConfigurationKey(
        "retry.maximum_age", default: "86400", "seconds after the first attempt in which a push is still tried")
    package static let suppressionEnabled = ConfigurationKey(
        "suppression.enabled", default: "true",
        "true: device tokens that are marked dead are not sent to; false: they are")
    package static let suppressionMemory = ConfigurationKey(
        "suppression.memory", default: "64", "MB for knowing dead tokens without asking the database")
    package static let ledgerSent = ConfigurationKey(
        "ledger.sent", default: "all",
        "what the ledger keeps of pushes that were accepted: all, none, or a part of them as sample:0.01")
    package static let ledgerDays = ConfigurationKey(
        "ledger.days", default: "14", "days for which the ledger keeps what it is told")
    package static let metricsApps = ConfigurationKey(
        "metrics.apps", default: "200",
        "how many apps have series of their own in the metrics, of those that are registered; the rest is one, other")
    package static let tracingEndpoint = ConfigurationKey(
        "tracing.endpoint",
        "the collector of traces, by OTLP over HTTP, such as http://collector:4318; if unset, OTEL_EXPORTER_OTLP_ENDPOINT"
    )
    package static let logLevel = ConfigurationKey(
        "log.level", default: "info", "trace, debug, info, notice, warning, error or critical")
    package static let logFormat = ConfigurationKey(
        "log.format", default: "text", "text; json: an object a line, with OpenTelemetry's names")
    package static let logJobs = ConfigurationKey(
        "log.jobs", default: "problems",
        "which jobs get a line when they are done: none, problems, sample:0.01 (a part of them) or all")

    /// The keys that take effect on SIGHUP, without a restart.
    static let reloadable: [ConfigurationKey] = [
        .workerMaximumInFlight, .workerAppShare, .workerUrgentShare, .workerLongestWait, .jobsChunkSize,
        .jobsMaximumBytes,
        .jobsMaximumRecipients, .jobsDeduplicationWindow, .jobsAtMostOnceWindow, .retryMaximumAttempts,
        .retryMaximumAge, .logLevel, .logFormat, .logJobs,
    ]

    /// All configuration keys except the outputs' keys.
    static let own: [ConfigurationKey] = [
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
