import ArgumentParser
import Foundation
package import Logging
package import MartletConfiguration
import Observability

/// The options that determine a command's configuration.
package struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file (YAML). Default: MARTLET_CONFIG.")
    var config: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Set a configuration key. Takes precedence over environment and file.", valueName: "key=value"))
    var settings: [String] = []

    package init() {}

    package func load() async throws -> ConfigurationSource {
        let source = try await read()
        // Invalid log settings are ignored here. The code that needs them reports the error.
        let log = WorkerLog(
            level: (try? source.logLevel()) ?? .info, format: (try? source.logFormat()) ?? .text, instance: nil)
        LoggingSystem.bootstrap { _ in log.handler() }
        return source
    }

    /// Returns the path of the file in the variable `MARTLET_CONFIG`, or `nil` if the variable is unset or empty.
    package static func file(in environment: [String: String]) -> String? {
        environment["MARTLET_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads the configuration. This method may be called several times.
    func read() async throws -> ConfigurationSource {
        let environment = ProcessInfo.processInfo.environment
        return try await ConfigurationSource(
            file: config ?? Self.file(in: environment), settings: settings, environment: environment,
            outputs: Martlet.installed)
    }
}

extension ConfigurationSource {
    /// Returns a logger for a command. Log lines go to standard error, because standard output is for results.
    package func logger(_ label: String, atLeast minimum: Logger.Level = .trace) throws -> Logger {
        var logger = Logger(label: label)
        logger.logLevel = max(try logLevel(), minimum)
        return logger
    }
}
