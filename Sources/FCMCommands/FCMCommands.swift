package import ArgumentParser

/// The commands that are about Firebase Cloud Messaging and nothing else.
package enum FCMCommands {
    /// Those of `martlet simulate`.
    package static let simulators: [any ParsableCommand.Type] = [SimulateFCMCommand.self]
}
