internal import CLinux

/// What others may see of this process's memory, in which opened keys lie.
public enum ProcessMemory {
    /// No core dump from now on, and no look into `/proc/<pid>/mem` or `environ`, nor a debugger, by processes of the same
    /// user (prctl(2), `PR_SET_DUMPABLE`). The administrator still may.
    public static func hide() {
        _ = clinux_set_dumpable(0)
    }
}
