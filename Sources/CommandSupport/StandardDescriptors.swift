import Glibc

/// The descriptors of standard input, standard output and standard error, which are 0, 1 and 2.
enum StandardDescriptors {
    /// Opens `/dev/null` for each standard descriptor that is closed.
    ///
    /// If a descriptor stayed closed, the next file or socket would get its number, and log lines would be written to
    /// that file or socket.
    static func openClosed() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
            // open returns the lowest free descriptor, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }
}
