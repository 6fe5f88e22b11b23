internal import CLinux

/// The version of this program.
package enum Build {
    /// The version of Martlet.
    package static let version = "0.1.0"
    /// The commit from which the program was built. The text is empty unless `make dist` has linked it in.
    package static let commit = String(cString: clinux_commit())
    /// The version and the commit, as text for display.
    package static var text: String { commit.isEmpty ? version : "\(version) (\(commit))" }
}
