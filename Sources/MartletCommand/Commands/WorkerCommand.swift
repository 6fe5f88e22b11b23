import ArgumentParser
import Logging
import MartletService

struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Deliver push jobs until stopped.",
        discussion: "SIGTERM drains, a second one ends at once; SIGHUP reads limits and log level again.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        ProcessMemory.hide()
        let source = try await options.load()
        let level = LogLevel(try source.logLevel())
        var logger = level.logger("martlet.worker")
        logger[metadataKey: "worker"] = "\(try source.workerName())"
        let worker = try await Worker(configuration: source, logger: logger, level: level) { [options] in
            try await options.read()
        }
        try await worker.run()
    }
}
