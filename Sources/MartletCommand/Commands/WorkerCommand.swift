import ArgumentParser
import Foundations
import MartletWorker
import Observability

struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Deliver push jobs until stopped.",
        discussion:
            "SIGTERM drains the worker, and a second SIGTERM ends it at once. SIGHUP reloads limits and log settings.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        ProcessMemory.hide()
        let source = try await options.load()
        let log = try WorkerLog(source)
        let worker = try await Worker(configuration: source, log: log) { [options] in try await options.read() }
        try await worker.run()
    }
}
