public import Logging

/// The name of something that is logged, which stays when its sentence gets better: alerts and searches go by it. Each
/// target has its own in a file `Events.swift`; docs/errors.md says what they mean.
public struct EventName: Sendable, Hashable, CustomStringConvertible {
    public let name: String
    /// Comes as often as what it is about, such as jobs: told once a minute for each app and reason, then counted.
    /// Others tell a change, and are told each time.
    public let repeats: Bool

    public init(_ name: String, repeats: Bool = false) {
        self.name = name
        self.repeats = repeats
    }

    public var description: String { name }

    /// Where a line's metadata has it: OpenTelemetry's name.
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
