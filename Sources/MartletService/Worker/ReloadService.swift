import DeliveryPipeline
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the configuration again on SIGHUP and takes over what may change while a worker runs.
struct ReloadService: Service {
    let hangUps: UnixSignalsSequence
    let pipeline: DeliveryPipeline
    let level: LogLevel
    let reload: @Sendable () async throws -> ConfigurationSource
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in hangUps {
                do {
                    let source = try await reload()
                    let limits = try source.pipeline().limits
                    level.current = try source.logLevel()
                    pipeline.reconfigure(limits)
                    logger.notice("Configuration read again")
                } catch {
                    logger.error("The configuration can't be used, the old one stays", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
