/// Every configuration key there is: the one list from which reading, checking and `--help` are made.
public enum ConfigurationKey: String, CaseIterable, Sendable {
    case amqpURL = "amqp.url"
    case amqpPrefix = "amqp.prefix"
    case amqpCAFile = "amqp.ca_file"
    case amqpPrefetchUrgent = "amqp.prefetch.urgent"
    case amqpPrefetchNormal = "amqp.prefetch.normal"
    case amqpPrefetchBulk = "amqp.prefetch.bulk"
    case databaseURL = "database.url"
    case keyringFile = "keyring.file"
    case keyringKeys = "keyring.keys"
    case apnsProduction = "apns.endpoint.production"
    case apnsSandbox = "apns.endpoint.sandbox"
    case apnsBroadcastProduction = "apns.endpoint.broadcast.production"
    case apnsBroadcastSandbox = "apns.endpoint.broadcast.sandbox"
    case apnsChannelsProduction = "apns.endpoint.channels.production"
    case apnsChannelsSandbox = "apns.endpoint.channels.sandbox"
    case apnsCAFile = "apns.ca_file"
    case apnsCertificateVerification = "apns.certificate_verification"
    case apnsProxy = "apns.proxy"
    case apnsMaximumConnections = "apns.maximum_connections"
    case apnsRequestTimeout = "apns.request_timeout"
    case apnsUrgentStreams = "apns.urgent_streams"
    case httpListen = "http.listen"
    case workerName = "worker.name"
    case workerMaximumInFlight = "worker.maximum_in_flight"
    case workerDrainTimeout = "worker.drain_timeout"
    case workerAppShare = "worker.app_share"
    case workerUrgentShare = "worker.urgent_share"
    case jobsChunkSize = "jobs.chunk_size"
    case jobsMaximumBytes = "jobs.maximum_bytes"
    case jobsMaximumRecipients = "jobs.maximum_recipients"
    case jobsDeduplicationWindow = "jobs.deduplication_window"
    case jobsAtMostOnceWindow = "jobs.at_most_once_window"
    case resultsMaximumOutcomes = "results.maximum_outcomes"
    case resultsMaximumWait = "results.maximum_wait"
    case retryDelays = "retry.delays"
    case retryMaximumAttempts = "retry.maximum_attempts"
    case retryMaximumAge = "retry.maximum_age"
    case suppressionEnabled = "suppression.enabled"
    case suppressionMemory = "suppression.memory"
    case logLevel = "log.level"

    /// The environment variable that sets it.
    public var environmentVariable: String {
        "MARTLET_" + rawValue.uppercased().replacing(".", with: "_")
    }

    /// A value that may hold a password; it can also come from the file that `<variable>_FILE` names.
    public var isSecret: Bool { [.amqpURL, .databaseURL, .keyringKeys, .apnsProxy].contains(self) }

    /// One line for people.
    public var explanation: String {
        switch self {
        case .amqpURL: "RabbitMQ, as amqp:// or amqps://user:password@host[:port][,host…]/vhost"
        case .amqpPrefix: "what the names of all exchanges and queues begin with"
        case .amqpCAFile: "PEM file with the authorities to trust for amqps"
        case .amqpPrefetchUrgent: "jobs of the urgent lane the broker hands out ahead of their acknowledgement"
        case .amqpPrefetchNormal: "the same for the normal lane"
        case .amqpPrefetchBulk: "the same for the bulk lane"
        case .databaseURL: "PostgreSQL, as postgres://user:password@host:port/database"
        case .keyringFile: "file with the master keys: lines of key id and base64 of 32 bytes, the current key first"
        case .keyringKeys: "the master keys themselves in place of a file, separated by commas or line ends"
        case .apnsProduction: "host:port of APNs for production"
        case .apnsSandbox: "host:port of APNs for the sandbox"
        case .apnsBroadcastProduction: "host:port of APNs for broadcasts; empty: as for devices"
        case .apnsBroadcastSandbox: "the same for the sandbox"
        case .apnsChannelsProduction: "host:port where broadcast channels are managed"
        case .apnsChannelsSandbox: "the same for the sandbox"
        case .apnsCAFile: "PEM file with an authority to trust instead of the system's, for a simulator or a proxy"
        case .apnsCertificateVerification: "full or none; none for test hosts only, never for Apple's"
        case .apnsProxy: "proxy for connections to APNs, as http://[user:password@]host:port"
        case .apnsMaximumConnections: "most connections of one credential to one environment"
        case .apnsRequestTimeout: "seconds an answer may take"
        case .apnsUrgentStreams: "streams of each connection kept free for the urgent lane, never more than a tenth"
        case .httpListen: "host:port for /health, /ready and /metrics; empty for none"
        case .workerName: "name of this worker in events and logs"
        case .workerMaximumInFlight: "recipients decoded and not yet settled"
        case .workerDrainTimeout: "seconds a stop may take before what is left goes back to the broker"
        case .workerAppShare: "percent of worker.maximum_in_flight that one app alone may hold; several hold less each"
        case .workerUrgentShare: "percent of worker.maximum_in_flight kept free for the urgent lane"
        case .jobsChunkSize: "a job with more recipients is split into chunks of so many"
        case .jobsMaximumBytes: "largest body of a job"
        case .jobsMaximumRecipients: "most recipients of a job"
        case .jobsDeduplicationWindow: "seconds in which a job of the same id is sent once; 0: each is sent"
        case .jobsAtMostOnceWindow: "seconds for which the id of an at_most_once job is remembered"
        case .resultsMaximumOutcomes: "most outcomes in one event"
        case .resultsMaximumWait: "milliseconds an outcome waits for others to share its event"
        case .retryDelays: "seconds a push waits after its first, second, … attempt, rising; a queue for each"
        case .retryMaximumAttempts: "attempts before a push that is refused for now has failed"
        case .retryMaximumAge: "seconds after the first attempt in which a push is still tried"
        case .suppressionEnabled: "true: device tokens that are marked dead are not sent to; false: they are"
        case .suppressionMemory: "MB for knowing dead tokens without asking the database"
        case .logLevel: "trace, debug, info, notice, warning, error or critical"
        }
    }

    /// The value when nothing sets it; nil when there is no sensible one.
    public var defaultValue: String? {
        switch self {
        case .amqpURL, .databaseURL, .keyringFile, .keyringKeys, .amqpCAFile, .apnsCAFile, .apnsProxy,
            .apnsBroadcastProduction, .apnsBroadcastSandbox:
            nil
        case .amqpPrefix: "martlet"
        case .amqpPrefetchUrgent: "200"
        case .amqpPrefetchNormal: "500"
        case .amqpPrefetchBulk: "100"
        case .apnsProduction: "api.push.apple.com:443"
        case .apnsSandbox: "api.sandbox.push.apple.com:443"
        case .apnsChannelsProduction: "api-manage-broadcast.push.apple.com:2196"
        case .apnsChannelsSandbox: "api-manage-broadcast.sandbox.push.apple.com:2195"
        case .apnsCertificateVerification: "full"
        case .apnsMaximumConnections: "16"
        case .apnsRequestTimeout: "60"
        case .apnsUrgentStreams: "20"
        case .httpListen: "127.0.0.1:8080"
        case .workerName: nil
        case .workerMaximumInFlight: "20000"
        case .workerDrainTimeout: "30"
        case .workerAppShare: "80"
        case .workerUrgentShare: "10"
        case .jobsChunkSize: "500"
        case .jobsMaximumBytes: "134217728"
        case .jobsMaximumRecipients: "1000000"
        case .jobsDeduplicationWindow: "0"
        case .jobsAtMostOnceWindow: "86400"
        case .resultsMaximumOutcomes: "500"
        case .resultsMaximumWait: "10"
        case .retryDelays: "5,30,120,900,3600"
        case .retryMaximumAttempts: "10"
        case .retryMaximumAge: "86400"
        case .suppressionEnabled: "true"
        case .suppressionMemory: "64"
        case .logLevel: "info"
        }
    }
}
