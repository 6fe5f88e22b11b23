internal import CLinux

/// A function that protects the memory of this process, which contains decrypted keys.
package enum ProcessMemory {
    /// Disables core dumps of this process. Processes of the same user can then no longer read `/proc/<pid>/mem` or
    /// `environ`, or attach a debugger (prctl(2), `PR_SET_DUMPABLE`). The root user still can.
    package static func hide() {
        _ = clinux_set_dumpable(0)
    }
}
