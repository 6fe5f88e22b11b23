import ArgumentParser
import MartletService

struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Deliver push jobs until stopped.",
        discussion: "SIGTERM drains, a second one ends at once; SIGHUP reads limits and log settings again.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        ProcessMemory.hide()
        let source = try await options.load()
        let log = try WorkerLog(source)
        let worker = try await Worker(configuration: source, log: log) { [options] in try await options.read() }
        try await worker.run()
    }
}
