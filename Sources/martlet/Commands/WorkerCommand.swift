import ArgumentParser
import Logging
import MartletService

struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Deliver push jobs until stopped (SIGTERM drains).")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let source = try await options.load()
        var logger = try source.logger("martlet.worker")
        logger[metadataKey: "worker"] = "\(try source.workerName())"
        try await Worker(configuration: source, logger: logger).run()
    }
}
