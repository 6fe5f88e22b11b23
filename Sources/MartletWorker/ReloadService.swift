import Foundations
import DeliveryPipeline
import Logging
import MartletConfiguration
import Observability
import ServiceLifecycle
import UnixSignals

/// A service that reads the configuration again on SIGHUP and applies the keys that can change while a worker runs.
struct ReloadService: Service {
    let hangUps: UnixSignalsSequence
    let pipeline: JobPipeline
    let log: WorkerLog
    let status: StatusSource
    let reload: @Sendable () async throws -> ConfigurationSource
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in hangUps {
                do {
                    let source = try await reload()
                    try source.check()
                    let limits = try source.pipeline().limits
                    let (level, format) = (try source.logLevel(), try source.logFormat())
                    log.change(level: level, format: format)
                    pipeline.reconfigure(limits)
                    status.reloaded(source)
                    logger.notice(.reloaded, "Configuration reloaded")
                } catch {
                    logger.error(
                        .reloadRefused, "The configuration cannot be used; the old one stays in force",
                        metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
