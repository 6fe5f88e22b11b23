package import Foundation

/// Where things of this project are.
package enum Project {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The `martlet` command: built along with the tests, so it lies beside their program.
    package static let command = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "martlet").path

    /// The program of `examples/third-party-output`, which lies there, too.
    package static let example = URL(filePath: command).deletingLastPathComponent()
        .appending(path: "martlet-logbook").path
}
