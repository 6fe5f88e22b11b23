import ArgumentParser
import CommandSupport
import MartletConfiguration

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Print a configuration file with all settings and their defaults.",
        discussion: """
            Includes the settings of all outputs of this program. Only the required settings are not commented out. \
            Replace the examples in them.
            """)

    func run() {
        for line in ConfigurationExample(ConfigurationKeys(outputs: Martlet.installed)).lines { print(line) }
    }
}
