import Foundations
import AMQPClient
import DeliveryPipeline
import MartletConfiguration
import Observability
import PostgresClient
import Store

/// The configuration that a worker reads when it starts.
struct WorkerConfiguration: Sendable {
    let broker: AMQPConfiguration
    var pipeline: PipelineConfiguration
    /// The source of the outputs' settings.
    let source: ConfigurationSource
    var database: PostgresConfiguration
    /// Whether the worker listens for notifications from the database.
    let listens: Bool
    let keyring: MasterKeyring
    /// The configuration of the feed of dead tokens, or `nil` if pushes to dead tokens are not suppressed.
    let suppression: DeadTokenFeed.Configuration?
    let drainTimeout: Duration
    /// The address of the HTTP server, or `nil` for none.
    let listen: Endpoint?
    /// The access rules of the HTTP server.
    let access: StatusAccess
    /// The configuration of traces, or `nil` if traces are disabled.
    let tracing: TracingConfiguration?

    /// Reads the configuration of a worker.
    ///
    /// - Throws: `ConfigurationError`.
    init(_ source: ConfigurationSource) throws {
        broker = try source.broker()
        pipeline = try source.pipeline()
        database = try source.database(applicationName: "martlet \(pipeline.worker)")
        listens = try source.boolean(.databaseListen)
        keyring = try source.keyring()
        try source.check()
        self.source = source
        suppression = try source.deadTokens()
        drainTimeout = .seconds(try source.integer(.workerDrainTimeout))
        listen = (source.string(.httpListen) ?? "").isEmpty ? nil : try source.endpoint(.httpListen)
        access = try StatusAccess(source)
        tracing = try TracingConfiguration(source)
    }
}
