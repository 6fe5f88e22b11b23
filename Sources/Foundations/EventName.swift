public import Logging

/// The name of a logged event. It stays the same when the message is reworded, because alerts and searches depend on
/// it. Each target defines its names in a file `Events.swift`, and docs/errors.md explains them.
public struct EventName: Sendable, Hashable, CustomStringConvertible {
    public let name: String
    /// Whether the event may occur for every object, such as every job. Such an event is logged once a minute for each
    /// reason and object (such as an app), and otherwise counted. Any other event marks a change and is logged each
    /// time.
    public let repeats: Bool

    public init(_ name: String, repeats: Bool = false) {
        self.name = name
        self.repeats = repeats
    }

    public var description: String { name }

    /// The key of the name in the metadata of a log line, as defined by OpenTelemetry.
    public static let key = "event.name"
}

extension Logger {
    public func log(
        level: Logger.Level, _ event: EventName, _ message: @autoclosure () -> Logger.Message,
        metadata: @autoclosure () -> Logger.Metadata = [:],
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        log(
            level: level, message(), metadata: Self.metadata(metadata(), of: event), file: file, function: function,
            line: line)
    }

    public func info(
        _ event: EventName, _ message: @autoclosure () -> Logger.Message,
        metadata: @autoclosure () -> Logger.Metadata = [:],
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        log(level: .info, event, message(), metadata: metadata(), file: file, function: function, line: line)
    }

    public func notice(
        _ event: EventName, _ message: @autoclosure () -> Logger.Message,
        metadata: @autoclosure () -> Logger.Metadata = [:],
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        log(level: .notice, event, message(), metadata: metadata(), file: file, function: function, line: line)
    }

    public func warning(
        _ event: EventName, _ message: @autoclosure () -> Logger.Message,
        metadata: @autoclosure () -> Logger.Metadata = [:],
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        log(level: .warning, event, message(), metadata: metadata(), file: file, function: function, line: line)
    }

    public func error(
        _ event: EventName, _ message: @autoclosure () -> Logger.Message,
        metadata: @autoclosure () -> Logger.Metadata = [:],
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        log(level: .error, event, message(), metadata: metadata(), file: file, function: function, line: line)
    }

    private static func metadata(_ metadata: Logger.Metadata, of event: EventName) -> Logger.Metadata {
        var metadata = metadata
        metadata[EventName.key] = .stringConvertible(event)
        return metadata
    }
}
