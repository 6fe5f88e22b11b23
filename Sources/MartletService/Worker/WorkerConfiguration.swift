import Addressing
import AMQPClient
import DeliveryPipeline
import PostgresClient
import Store

/// All that a worker reads of its configuration when it starts.
struct WorkerConfiguration: Sendable {
    let broker: AMQPConfiguration
    var pipeline: PipelineConfiguration
    /// For what the outputs read of it.
    let source: ConfigurationSource
    var database: PostgresConfiguration
    /// Whether notifications of the database are listened for.
    let listens: Bool
    let keyring: MasterKeyring
    /// nil: dead tokens are sent to.
    let suppression: DeadTokenFeed.Configuration?
    let drainTimeout: Duration
    /// nil: no HTTP endpoint.
    let listen: Endpoint?
    /// Who may see what there.
    let access: StatusAccess
    /// nil: there are no traces.
    let tracing: TracingConfiguration?

    /// - Throws: ``ConfigurationError``.
    init(_ source: ConfigurationSource) throws {
        broker = try source.broker()
        pipeline = try source.pipeline()
        database = try source.database(applicationName: "martlet \(pipeline.worker)")
        listens = try source.boolean(.databaseListen)
        keyring = try source.keyring()
        try source.checkOutputs()
        self.source = source
        suppression = try source.deadTokens()
        drainTimeout = .seconds(try source.integer(.workerDrainTimeout, in: 0...86_400))
        listen = (source.string(.httpListen) ?? "").isEmpty ? nil : try source.endpoint(.httpListen)
        access = try StatusAccess(source)
        tracing = try TracingConfiguration(source)
    }
}
