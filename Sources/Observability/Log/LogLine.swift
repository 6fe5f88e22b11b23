package import Foundations
package import Logging
package import PushModel

/// A log line on its way to the sinks.
package struct LogLine: Sendable {
    package let at: Timestamp
    package let level: Logger.Level
    /// The name of the event, or `nil` if the line has none. Martlet's own lines at `notice` or above have a name, but
    /// lines of libraries have none.
    package let event: EventName?
    package let message: String
    /// The metadata of the logger and of the line, without the name of the event.
    package let metadata: Logger.Metadata

    package init(
        at: Timestamp, level: Logger.Level, event: EventName?, message: String, metadata: Logger.Metadata = [:]
    ) {
        (self.at, self.level, self.event) = (at, level, event)
        (self.message, self.metadata) = (message, metadata)
    }
}

/// A destination of log lines, such as standard error, a counter or a list of the latest lines.
package protocol LogSink: Sendable {
    /// Receives a line, on the thread that logs it.
    func take(_ line: LogLine)
}
