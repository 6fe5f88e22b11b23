package import Foundation

/// Paths within this project.
package enum Project {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The path of the `martlet` command, which is built along with the tests into the same folder.
    package static let command = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "martlet").path

    /// The path of the program `martlet-simulator` in the same folder.
    package static let simulator = URL(filePath: command).deletingLastPathComponent()
        .appending(path: "martlet-simulator").path

    /// The path of the program of `examples/third-party-output` in the same folder.
    package static let example = URL(filePath: command).deletingLastPathComponent()
        .appending(path: "martlet-ntfy").path
}
