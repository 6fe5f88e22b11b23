import Foundation
import Foundations

/// A launcher of processes that uses posix_spawn(3) and reports when they end.
///
/// Foundation's `Process` lists the open files before each start. If there are about 1,350, it reads past the end of
/// the directory's entries and crashes. Tests that run in parallel have that many sockets.
final class ProcessLauncher: Sendable {
    struct Launch: Sendable {
        /// The path of the program, followed by its arguments.
        var arguments: [String]
        var environment: [String: String]
        var directory: URL?
        var input, output, errors: URL
    }

    static let shared = ProcessLauncher()

    private struct Order {
        let launch: Launch
        let answer: @Sendable (Result<pid_t, any Error>) -> Void
    }

    private let orders = Mutex<[Order]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    private init() {
        // The kernel sends the death signal when the thread that started the process ends. This thread never ends.
        Thread.detachNewThread {
            while true {
                self.arrivals.wait()
                if let order = self.orders.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                    order.answer(Result { try Self.spawn(order.launch) })
                }
            }
        }
    }

    /// Starts a process and returns its id.
    ///
    /// - Parameter onEnd: called with the exit code. If a signal ended the process, the code is 128 plus the number of
    ///   the signal, as in a shell.
    func start(_ launch: Launch, onEnd: @escaping @Sendable (Int32) -> Void) throws -> pid_t {
        let started = DispatchSemaphore(value: 0)
        let result = Mutex<Result<pid_t, any Error>?>(nil)
        let order = Order(launch: launch) { answer in
            result.withLock { $0 = answer }
            started.signal()
        }
        orders.withLock { $0.append(order) }
        arrivals.signal()
        started.wait()
        guard let pid = try result.withLock({ try $0?.get() }) else { throw Failure(description: "no process started") }
        Thread.detachNewThread { onEnd(Self.waitForEnd(of: pid)) }
        return pid
    }

    private static func spawn(_ launch: Launch) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, launch.input.path, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, launch.output.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, launch.errors.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        if let directory = launch.directory { addChangeOfDirectory(&actions, directory.path) }
        addClosing(&actions, 3)
        // A process inherits the blocked signals of the thread that starts it, and the ignored signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var pid: pid_t = 0
        let code = withCStrings(launch.arguments) { arguments in
            withCStrings(launch.environment.map { "\($0)=\($1)" }) { environment in
                posix_spawn(&pid, launch.arguments[0], &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else {
            throw Failure(description: "\(launch.arguments): \(String(cString: strerror(code)))")
        }
        return pid
    }

    private static func waitForEnd(of pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}

/// Calls `body` with an array of C strings that ends with a null pointer.
private func withCStrings<R>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
}

// glibc declares these functions only if _GNU_SOURCE is defined, which is not the case for Swift.
@_silgen_name("posix_spawn_file_actions_addchdir_np") @discardableResult
private func addChangeOfDirectory(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ path: UnsafePointer<CChar>
) -> Int32

/// Adds an action that closes all descriptors from `first` on.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np") @discardableResult
private func addClosing(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32
