public import Logging
import Threading

/// The level of a running worker's log, which can be changed.
public final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    public init(_ level: Logger.Level) {
        self.level = Mutex(level)
    }

    public var current: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }

    /// A logger to standard error that follows the level.
    public func logger(_ label: String) -> Logger {
        Logger(label: label) { FollowingLogHandler(base: PrintableLog.handler(label: $0), level: self) }
    }
}

/// Writes what its ``LogLevel`` lets through; one that is given a level of its own keeps to that.
private struct FollowingLogHandler: LogHandler {
    var base: StreamLogHandler
    let level: LogLevel
    private var own: Logger.Level?

    init(base: StreamLogHandler, level: LogLevel) {
        self.base = base
        self.base.logLevel = .trace
        self.level = level
    }

    var logLevel: Logger.Level {
        get { own ?? level.current }
        set { own = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { base.log(event: event) }
}
