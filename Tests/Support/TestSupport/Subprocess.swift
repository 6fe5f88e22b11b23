package import Foundation
import Foundations

/// A process that ends no later than the tests, even if they are killed. Its output goes to files, so that it can be
/// read while the process runs and no pipe can fill up.
package final class Subprocess: Sendable {
    package struct Finished: Sendable, CustomStringConvertible {
        /// The exit code. If a signal ended the process, it is 128 plus the number of the signal, as in a shell.
        package let status: Int32
        package let output: String
        package let errors: String
        package var description: String { "ended with \(status)\n\(output)\(errors)" }
    }

    package let pid: pid_t
    private let folder: URL
    private let end = End()

    /// Starts the process.
    ///
    /// - Parameter environment: variables to add. The process also inherits the variables of this process, except those
    ///   that Martlet reads.
    package init(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", in directory: URL? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "martlet-process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(input.utf8).write(to: folder.appending(path: "input"))
        pid = try ProcessLauncher.shared.start(
            ProcessLauncher.Launch(
                arguments: ["/usr/bin/setpriv", "--pdeathsig", "KILL"] + arguments,
                environment: ProcessInfo.processInfo.environment.filter { entry in
                    !["MARTLET_", "OTEL_"].contains { entry.key.hasPrefix($0) }
                }
                .merging(environment) { $1 },
                directory: directory, input: folder.appending(path: "input"), output: folder.appending(path: "output"),
                errors: folder.appending(path: "errors"))
        ) { [end] in end.come(with: $0) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs a process to its end and returns its result.
    package static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", in directory: URL? = nil,
        within limit: Duration = .seconds(600)
    ) async throws -> Finished {
        try await Subprocess(arguments, environment: environment, input: input, in: directory).finish(within: limit)
    }

    package var isRunning: Bool { end.status == nil }
    package var output: String { text("output") }
    package var errors: String { text("errors") }

    package func signal(_ number: Int32) {
        if isRunning { kill(pid, number) }
    }

    /// Waits for the end of the process. After the time limit, kills the process.
    package func finish(within limit: Duration = .seconds(600)) async throws -> Finished {
        do {
            try await eventually("process \(pid) ends\n\(output)\(errors)", within: limit) { !isRunning }
        } catch {
            signal(SIGKILL)
            throw error
        }
        return finished
    }

    /// Blocks the thread until the process ends. It is for short commands in tests that are not asynchronous.
    package func waitUntilExit() -> Finished {
        end.wait()
        return finished
    }

    private var finished: Finished { Finished(status: end.status ?? -1, output: output, errors: errors) }

    private func text(_ name: String) -> String {
        String(
            decoding: FileManager.default.contents(atPath: folder.appending(path: name).path) ?? Data(), as: UTF8.self)
    }
}

private final class End: Sendable {
    private let code = Mutex<Int32?>(nil)
    private let hasCome = DispatchSemaphore(value: 0)

    var status: Int32? { code.withLock { $0 } }

    func come(with status: Int32) {
        code.withLock { $0 = status }
        hasCome.signal()
    }

    func wait() {
        hasCome.wait()
        hasCome.signal()
    }
}
