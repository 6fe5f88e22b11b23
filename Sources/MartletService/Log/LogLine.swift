public import EventNames
public import Logging
public import PushModel

/// What is logged, on its way to where lines go.
public struct LogLine: Sendable {
    public let at: Timestamp
    public let level: Logger.Level
    /// What is logged at `info` and below may have none.
    public let event: EventName?
    public let message: String
    /// Of the logger and of the line; without the event's name.
    public let metadata: Logger.Metadata

    public init(
        at: Timestamp, level: Logger.Level, event: EventName?, message: String, metadata: Logger.Metadata = [:]
    ) {
        (self.at, self.level, self.event) = (at, level, event)
        (self.message, self.metadata) = (message, metadata)
    }
}

/// Where lines go: standard error, a count, a list of the last ones.
public protocol LogSink: Sendable {
    /// Called on whatever thread logs.
    func take(_ line: LogLine)
}
