import Foundation
import TestSupport
import Foundations

/// A `martlet worker` process that can be killed, stopped, frozen and restarted. The logs of all its starts are kept in
/// one file.
final class WorkerProcess: Sendable {
    private struct State {
        var process: Subprocess?
        var incarnation = 0
        /// Temporary changes to the configuration, by setting.
        var changes: [String: String] = [:]
        /// Whether the run itself is ending the process.
        var isEnding = false
        /// Whether a fault has reserved the worker.
        var isTaken = false
    }

    /// A part of the broker's error message about a delivery that was not acknowledged in time.
    private static let timeout = "delivery acknowledgement on channel"

    let number: Int
    private let program: String
    private let configuration: WorkerConfiguration
    private let logFile: URL
    private let log: RunLog
    private let state = Mutex(State())

    init(number: Int, program: String, configuration: WorkerConfiguration, logFile: URL, log: RunLog) {
        self.number = number
        self.program = program
        self.configuration = configuration
        self.logFile = logFile
        self.log = log
    }

    /// Reserves the worker, and returns whether it was free. Two faults that restarted it at the same time would leave
    /// two processes.
    func take() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }

    /// Waits until the worker is free, and reserves it.
    func takeWhenFree() async {
        while !take(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(20)) }
    }

    func release() { state.withLock { $0.isTaken = false } }

    /// Whether the worker has logged its start.
    var hasStarted: Bool { state.withLock { $0.process }?.errors.contains("Worker started") ?? false }

    func start() throws {
        state.withLock { $0.incarnation += 1 }
        try write()
        let process = try Subprocess([program, "worker", "--config", configuration.file.path])
        state.withLock {
            $0.process = process
            $0.isEnding = false
        }
    }

    private func write() throws { try configuration.write(changes: state.withLock { $0.changes }) }

    /// Kills the worker with SIGKILL.
    func kill() async throws {
        guard let process = expectEnd() else { return }
        process.signal(SIGKILL)
        keep(try await process.finish(within: .seconds(10)))
    }

    /// Stops the worker with SIGTERM, and waits for its end.
    ///
    /// - Parameter isHurried: whether to send a second SIGTERM a moment later.
    func stop(within limit: Duration, isHurried: Bool = false) async throws {
        guard let process = expectEnd() else { return }
        process.signal(SIGTERM)
        if isHurried {
            try await Task.sleep(for: .milliseconds(100))
            process.signal(SIGTERM)
        }
        do {
            let finished = try await process.finish(within: limit)
            keep(finished)
            recordEnd(status: finished.status, wasAsked: true, wasHurried: isHurried, finished.errors)
        } catch {
            let log = process.errors
            keep(log, status: -1)
            recordEnd(status: -1, wasAsked: true, "still running \(limit) after SIGTERM\n\(log)")
        }
    }

    func freeze() { state.withLock { $0.process }?.signal(SIGSTOP) }
    func resume() { state.withLock { $0.process }?.signal(SIGCONT) }

    /// Changes the configuration file and sends SIGHUP.
    ///
    /// - Parameter changes: the changed settings, or `nil` to restore the original ones.
    func reconfigure(_ changes: Fault.Settings?) throws {
        state.withLock { $0.changes = changes?.values ?? [:] }
        try write()
        guard let process = state.withLock({ $0.process }), awaitsHangUp(process.pid) else { return }
        process.signal(SIGHUP)
    }

    /// Returns whether a process handles SIGHUP. A process that has just started will read the changed file anyway, but
    /// the signal would end it.
    private func awaitsHangUp(_ pid: pid_t) -> Bool {
        guard let caught = Self.status(of: pid, "SigCgt").flatMap({ UInt64($0, radix: 16) }) else { return false }
        return caught & 1 << UInt64(SIGHUP - 1) != 0
    }

    /// Returns a value from the kernel's status of a process (proc(5)), or `nil` if the process has ended.
    private static func status(of pid: pid_t, _ name: String) -> Substring? {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
        return status.split(separator: "\n").first { $0.hasPrefix("\(name):") }?.split(whereSeparator: \.isWhitespace)
            .dropFirst().first
    }

    /// Restarts the worker if it has ended unexpectedly, and records the end.
    func check() async throws {
        let ended = state.withLock { state -> Subprocess? in
            guard !state.isEnding, let process = state.process, !process.isRunning else { return nil }
            state.process = nil
            return process
        }
        guard let ended else { return }
        let finished = try await ended.finish()
        keep(finished)
        recordEnd(status: finished.status, wasAsked: false, finished.errors)
        try start()
    }

    /// Records the resident memory of the worker.
    func sampleMemory() {
        let (pid, incarnation) = state.withLock { ($0.process?.pid, $0.incarnation) }
        guard let pid, let kilobytes = Self.status(of: pid, "VmRSS").flatMap({ Int($0) }) else { return }
        let sample = MemorySample(
            worker: number, incarnation: incarnation, at: currentMilliseconds(), kilobytes: kilobytes)
        log.update { $0.memory.append(sample) }
    }

    private func expectEnd() -> Subprocess? {
        state.withLock { state in
            state.isEnding = true
            return state.process.take()
        }
    }

    private func recordEnd(status: Int32, wasAsked: Bool, wasHurried: Bool = false, _ errors: String) {
        let last = errors.split(separator: "\n").suffix(3).joined(separator: "\n")
        let end = WorkerEnd(
            worker: number, at: currentMilliseconds(), status: status, wasAsked: wasAsked, wasHurried: wasHurried,
            wasRunning: errors.contains("Worker started"), log: last)
        log.update { $0.workerEnds.append(end) }
    }

    private func keep(_ finished: Subprocess.Finished) { keep(finished.errors, status: finished.status) }

    private func keep(_ errors: String, status: Int32) {
        let timeouts = errors.split(separator: "\n").filter { $0.contains(Self.timeout) }
        log.update { $0.timeouts += timeouts.map { "worker \(number): \($0)" } }
        let text = errors + "--- ended with \(status) at \(currentMilliseconds()) ---\n"
        if let handle = try? FileHandle(forWritingTo: logFile) {
            handle.seekToEndOfFile()
            handle.write(Data(text.utf8))
            try? handle.close()
        } else {
            try? Data(text.utf8).write(to: logFile)
        }
    }
}

extension Fault.Settings {
    /// The settings as values of the configuration file.
    fileprivate var values: [String: String] {
        [
            "jobs.chunk_size": "\(chunkSize)", "worker.maximum_in_flight": "\(maximumInFlight)",
            "worker.app_share": "\(appShare)", "log.level": logLevel,
        ]
    }
}
