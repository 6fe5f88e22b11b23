package import ArgumentParser

/// The commands for Firebase Cloud Messaging.
package enum FCMCommands {
    /// The subcommands of `martlet simulate`.
    package static let simulators: [any ParsableCommand.Type] = [SimulateFCMCommand.self]
}
