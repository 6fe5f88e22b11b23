package import ArgumentParser

/// The commands that are about Web Push and nothing else.
package enum WebPushCommands {
    /// Those of `martlet simulate`.
    package static let simulators: [any ParsableCommand.Type] = [SimulateWebPushCommand.self]
}
