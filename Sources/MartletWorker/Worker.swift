import Contract
import DeliveryPipeline
import Foundations
import Logging
package import MartletConfiguration
import Metering
import NIOPosix
package import Observability
import PostgresClient
import PushModel
import ServiceLifecycle
import Store
import UnixSignals

/// A worker that is built from its configuration.
package struct Worker: Sendable {
    private let services: [any Service]
    private let drainTimeout: Duration
    private let log: WorkerLog
    private let logger: Logger

    /// Creates a worker from its configuration.
    ///
    /// - Parameters:
    ///   - log: the log, whose settings are updated with each reload of the configuration.
    ///   - reload: reads the configuration again.
    /// - Throws: `ConfigurationError`.
    package init(
        configuration source: ConfigurationSource, log: WorkerLog,
        reload: @escaping @Sendable () async throws -> ConfigurationSource
    ) async throws {
        // SIGHUP is trapped first, because an untrapped SIGHUP ends the process.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        var configuration = try WorkerConfiguration(source)
        var logger = log.logger("martlet.worker")
        logger[metadataKey: "worker"] = "\(configuration.pipeline.worker)"
        let state = WorkerState()
        let refusalRegistry = RefusalRegistry()
        let quotas = QuotaShareTable()
        let failures = OngoingFailures()
        let metrics = MetricRegistry()
        configuration.pipeline.meter = PipelineMeter(
            metrics, delays: configuration.pipeline.retryDelays,
            mostApps: try source.integer(.metricsApps),
            reasons: Dictionary(
                source.outputs.map { ($0.name, $0.reasons.keys.sorted()) }, uniquingKeysWith: { first, _ in first }))
        let spans = SpanBuffer()
        metrics.read("spans") { spans.add(to: &$0) }
        configuration.pipeline.tracer = configuration.tracing.map { tracing in
            JobTracer(tracing.sampler, names: configuration.pipeline.names) { spans.add($0) }
        }
        configuration.database.meter = PostgresMeter(metrics)
        WorkerMetrics.register(
            in: metrics, exchanges: configuration.pipeline.exchanges, state: state, refusalRegistry: refusalRegistry,
            quotas: quotas,
            log: log, outputs: source.outputs, start: .now)
        let status = StatusSource(
            configuration.source, worker: configuration.pipeline.worker,
            resultsExchange: configuration.pipeline.names.results, state: state, refusals: refusalRegistry,
            quotas: quotas, warnings: log.warnings, failures: failures, metrics: metrics, logger: logger)
        metrics.read("problems") { [status] page in page.add(status.problems) }
        // The server starts before the database is reachable and ends after the drain, so that probes always get an
        // answer.
        var services: [any Service] = []
        if let listen = configuration.listen {
            services.append(
                StatusServer(
                    endpoint: listen, eventLoops: MultiThreadedEventLoopGroup.singleton, status: status,
                    access: configuration.access, metrics: metrics))
        }
        services.append(PulseService(status: status))
        services.append(
            DeliveryService(
                configuration: configuration, state: state, refusalRegistry: refusalRegistry, quotas: quotas,
                status: status,
                failures: failures, metrics: metrics,
                traces: configuration.tracing.map { TraceService($0, spans, failures: failures, logger: logger) },
                hangUps: hangUps,
                log: log, reload: reload, logger: logger))
        self.services = services
        drainTimeout = configuration.drainTimeout
        self.log = log
        self.logger = logger
    }

    /// Processes jobs until SIGTERM or SIGINT, and then drains.
    ///
    /// - Throws: the errors of ``DeliveryService/run()``, or `ListenError` if the server cannot listen on
    ///   `http.listen`.
    package func run() async throws {
        var configuration = ServiceGroupConfiguration(
            services: services.map { $0.endingAll }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        StopLimits(drain: drainTimeout).bound(&configuration)
        defer { log.flush() }
        let secondSignal = Task { [logger] in await SecondSignal.watch(logger) }
        defer { secondSignal.cancel() }
        try await ServiceGroup(configuration: configuration).run()
    }
}

extension Service {
    /// A configuration with which the whole group shuts down when this service ends, with or without an error.
    var endingAll: ServiceGroupConfiguration.ServiceConfiguration {
        .init(
            service: self, successTerminationBehavior: .gracefullyShutdownGroup,
            failureTerminationBehavior: .gracefullyShutdownGroup)
    }
}
