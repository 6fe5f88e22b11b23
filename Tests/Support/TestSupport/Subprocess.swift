package import Foundation
import Synchronization

/// A process that ends with the tests at the latest, even when they are killed. Its output goes to files, so it
/// can be read while it runs and no pipe can fill up.
package final class Subprocess: Sendable {
    package struct Finished: Sendable, CustomStringConvertible {
        /// The exit code; for one that a signal ended, 128 and the signal's number, as in a shell.
        package let status: Int32
        package let output: String
        package let errors: String
        package var description: String { "ended with \(status)\n\(output)\(errors)" }
    }

    package let pid: pid_t
    private let folder: URL
    private let status = Mutex<Int32?>(nil)

    /// Starts it.
    ///
    /// - Parameter environment: added to this process's own, of which the variables of Martlet are left out.
    package init(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", in directory: URL? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "martlet-process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(input.utf8).write(to: folder.appending(path: "input"))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = ["--pdeathsig", "KILL"] + arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MARTLET_") }
            .merging(environment) { $1 }
        process.currentDirectoryURL = directory
        process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "input"))
        process.standardOutput = try Self.file(folder.appending(path: "output"))
        process.standardError = try Self.file(folder.appending(path: "errors"))
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            end.yield(process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
            end.finish()
        }
        try LaunchThread.shared.launch(process)
        pid = process.processIdentifier
        Task { for await code in ends { self.status.withLock { $0 = code } } }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs a process to its end.
    package static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", in directory: URL? = nil,
        within limit: Duration = .seconds(60)
    ) async throws -> Finished {
        try await Subprocess(arguments, environment: environment, input: input, in: directory).finish(within: limit)
    }

    package var isRunning: Bool { status.withLock { $0 == nil } }
    package var output: String { text("output") }
    package var errors: String { text("errors") }

    package func signal(_ number: Int32) {
        if isRunning { kill(pid, number) }
    }

    /// Waits for its end; one that takes too long is killed.
    package func finish(within limit: Duration = .seconds(60)) async throws -> Finished {
        do {
            try await eventually("end of process \(pid)\n\(output)\(errors)", within: limit) { !isRunning }
        } catch {
            signal(SIGKILL)
            throw error
        }
        return Finished(status: status.withLock { $0 ?? -1 }, output: output, errors: errors)
    }

    private func text(_ name: String) -> String {
        String(
            decoding: FileManager.default.contents(atPath: folder.appending(path: name).path) ?? Data(), as: UTF8.self)
    }

    private static func file(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }
}

/// The kernel sends the death signal when the thread ends that started a process; this one never does.
private final class LaunchThread: Sendable {
    private final class Launch: Sendable {
        let process: Process
        let isDone = DispatchSemaphore(value: 0)
        let error = Mutex<(any Error)?>(nil)

        init(_ process: Process) { self.process = process }

        func carryOut() {
            do { try process.run() } catch { self.error.withLock { $0 = error } }
            isDone.signal()
        }
    }

    static let shared = LaunchThread()

    private let waiting = Mutex<[Launch]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread {
            // Processes inherit the mask of the thread that starts them, and threads that of theirs, which may be
            // one of a pool that takes no signals: then SIGTERM would never reach them.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            while true {
                self.arrivals.wait()
                self.waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.carryOut()
            }
        }
    }

    func launch(_ process: Process) throws {
        let launch = Launch(process)
        waiting.withLock { $0.append(launch) }
        arrivals.signal()
        launch.isDone.wait()
        if let error = launch.error.withLock({ $0 }) { throw error }
    }
}
