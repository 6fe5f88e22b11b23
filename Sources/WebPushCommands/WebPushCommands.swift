package import ArgumentParser

/// The commands for Web Push.
package enum WebPushCommands {
    /// The subcommands of `martlet simulate`.
    package static let simulators: [any ParsableCommand.Type] = [SimulateWebPushCommand.self]
}
