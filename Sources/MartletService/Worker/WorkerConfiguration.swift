import AMQPClient
import APNSOutput
import CredentialStore
import DeliveryPipeline
import PostgresClient

/// All that a worker reads of its configuration when it starts.
struct WorkerConfiguration: Sendable {
    let broker: AMQPConfiguration
    let pipeline: PipelineConfiguration
    let database: PostgresConfiguration
    let keyring: MasterKeyring
    let apns: APNSConfiguration
    /// nil: dead tokens are sent to.
    let suppression: DeadTokenFeed.Configuration?
    let drainTimeout: Duration
    /// nil: no HTTP endpoint.
    let listen: (host: String, port: Int)?

    /// - Throws: ``ConfigurationError``.
    init(_ source: ConfigurationSource) throws {
        broker = try source.broker()
        pipeline = try source.pipeline()
        database = try source.database(applicationName: "martlet \(pipeline.worker)")
        keyring = try source.keyring()
        apns = try source.apns()
        suppression = try source.deadTokens()
        drainTimeout = .seconds(try source.integer(.workerDrainTimeout, in: 0...86_400))
        listen = (source.string(.httpListen) ?? "").isEmpty ? nil : try source.hostAndPort(.httpListen)
    }
}
