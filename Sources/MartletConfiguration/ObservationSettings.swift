package import DeliveryPipeline
package import Logging
import PushModel

/// The keys of the HTTP server.
extension ConfigurationKey {
    package static let httpListen = ConfigurationKey(
        "http.listen", .endpoint, default: "127.0.0.1:8080",
        "`host:port` of [health, metrics and the status page](monitoring.md), or empty for none; `martlet ledger` uses "
            + "the next port by default")
    package static let httpStatus = ConfigurationKey(
        "http.status", .boolean, default: "true", "whether the worker serves the status page")
    package static let httpHosts = ConfigurationKey(
        "http.hosts", example: "push-7.example.net, status.example.net",
        "host names that URLs of the status page may contain besides `localhost` and IP addresses, comma-separated")
    package static let httpTokenFile = ConfigurationKey(
        "http.token_file", example: "/etc/martlet/http-token",
        "file with a [token](monitoring.md) of at least 16 bytes for the status page and the metrics")

    static let http = [httpListen, httpStatus, httpHosts, httpTokenFile]
}

/// The keys of metrics, traces and logs.
extension ConfigurationKey {
    package static let metricsApps = ConfigurationKey(
        "metrics.apps", .integer(0...100_000), default: "200", isAdvanced: true,
        "maximum number of apps with their own series in `martlet_pushes_total`")
    package static let tracingEndpoint = ConfigurationKey(
        "tracing.endpoint", example: "http://collector.example.net:4318",
        "`http://` or `https://host[:port][/path]` of an OTLP collector for [traces](monitoring.md)")
    static let logLevel = ConfigurationKey(
        "log.level", .choice(Logger.Level.allCases.map(\.rawValue)), default: Logger.Level.info.rawValue,
        isReloadable: true, "minimum level of log lines")
    static let logFormat = ConfigurationKey(
        "log.format", .choice(LogFormat.allCases.map(\.rawValue)), default: LogFormat.text.rawValue,
        isReloadable: true, "format of log lines; `json` has [OpenTelemetry's names](monitoring.md)")
    static let logJobs = ConfigurationKey(
        "log.jobs", default: "problems", pattern: "none|problems|all|sample:[0-9.]+", isReloadable: true,
        "finished jobs to log: `all`, `none`, `problems`, or a share such as `sample:0.01`")

    static let logs = [metricsApps, tracingEndpoint, logLevel, logFormat, logJobs]
}

extension ConfigurationSource {
    package func logLevel() throws -> Logger.Level { try choice(.logLevel) }

    package func logFormat() throws -> LogFormat { try choice(.logFormat) }

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
