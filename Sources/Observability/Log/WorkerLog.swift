import Dispatch
import Foundations
package import Logging
package import MartletConfiguration
import PushModel
import Store

/// The log of a process. A line goes to each sink if its level is high enough and it is not a repetition. Level and
/// format can be changed while the process runs.
package final class WorkerLog: Sendable {
    private let level: Mutex<Logger.Level>
    private let sinks: [any LogSink]
    private let terminal: StandardError?
    /// The latest warnings and errors, for the status page.
    package let warnings = WarningRing()
    private let limit = Mutex(RepetitionLimit())
    private let isWaiting = Mutex(false)
    private let counts = Mutex<[Logger.Level: Int]>([:])

    /// Creates the log of a worker. To send log lines to a further destination, add a sink here.
    ///
    /// - Throws: `ConfigurationError`.
    package convenience init(_ source: ConfigurationSource) throws {
        self.init(
            level: try source.logLevel(), format: try source.logFormat(), instance: try source.workerName(), others: [])
    }

    /// Creates a log that writes to standard error and to further sinks.
    ///
    /// - Parameter instance: the name of the worker, or `nil` for a process that is not a worker.
    package convenience init(level: Logger.Level, format: LogFormat, instance: String?, others: [any LogSink] = []) {
        let terminal = StandardError(format: format, resource: LogResource(instance: instance))
        self.init(level: level, terminal: terminal, sinks: [terminal] + others)
    }

    package init(level: Logger.Level, terminal: StandardError? = nil, sinks: [any LogSink]) {
        self.level = Mutex(level)
        self.terminal = terminal
        self.sinks = sinks + [warnings]
    }

    package func logger(_ label: String) -> Logger { Logger(label: label) { _ in self.handler() } }

    package func handler() -> any LogHandler { Handler(log: self) }

    package func change(level: Logger.Level, format: LogFormat) {
        self.level.withLock { $0 = level }
        terminal?.change(format: format)
    }

    var currentLevel: Logger.Level { level.withLock { $0 } }

    /// Logs the summaries of all counted repetitions, and waits up to one second for standard error. Must be called
    /// before the process ends.
    package func flush() {
        reportHeld(all: true)
        terminal?.finish()
    }

    fileprivate func take(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
        var metadata = metadata
        var event: EventName?
        if case .stringConvertible(let value) = metadata[EventName.key], let name = value as? EventName {
            event = name
            metadata[EventName.key] = nil
        }
        let line = LogLine(at: .now, level: level, event: event, message: message, metadata: metadata)
        if let event, event.repeats, !limit.withLock({ $0.isDue(line, of: event, now: Self.uptime) }) {
            return waitToTellHeld()
        }
        write(line)
    }

    private func write(_ line: LogLine) {
        counts.withLock { $0[line.level, default: 0] += 1 }
        for sink in sinks { sink.take(line) }
    }

    /// The number of lines passed to the sinks since the start, by level.
    package var lines: [(level: Logger.Level, count: Int)] {
        let counts = counts.withLock { $0 }
        return Logger.Level.allCases.map { ($0, counts[$0] ?? 0) }
    }

    /// The number of lines that standard error has dropped.
    package var dropped: Int { terminal?.dropped ?? 0 }

    // MARK: Repetitions

    private static var uptime: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) }

    private func reportHeld(all: Bool) {
        for line in limit.withLock({ $0.takeDue(now: Self.uptime, at: .now, all: all) }) { write(line) }
    }

    /// Starts a timer for the next summaries, unless a timer is running.
    private func waitToTellHeld() {
        let isFirst = isWaiting.withLock { isWaiting in
            defer { isWaiting = true }
            return !isWaiting
        }
        guard isFirst else { return }
        guard let due = limit.withLock({ $0.nextDue }) else { return isWaiting.withLock { $0 = false } }
        let wait = DispatchTimeInterval.milliseconds(Int(clamping: max(1_000, due - Self.uptime)))
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + wait) { [self] in
            reportHeld(all: false)
            isWaiting.withLock { $0 = false }
            if limit.withLock({ $0.nextDue }) != nil { waitToTellHeld() }
        }
    }
}

/// A handler that passes log lines to a log. A level that is set on the handler overrides the level of the log.
private struct Handler: LogHandler {
    let log: WorkerLog
    var metadata: Logger.Metadata = [:]
    private var own: Logger.Level?

    init(log: WorkerLog) { self.log = log }

    var logLevel: Logger.Level {
        get { own ?? log.currentLevel }
        set { own = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error, all["error"] == nil { all["error"] = "\(error)" }
        log.take(event.level, event.message.description, all)
    }
}
