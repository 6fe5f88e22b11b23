import Foundations
import Logging
import PushModel

/// A log line at level `warning` or above.
package struct LoggedWarning: Sendable, Hashable, Encodable {
    /// The time of the last occurrence.
    package var at: String
    package let level: String
    /// The stable name of the event, or `nil` for a line without an event.
    package let event: String?
    package let message: String
    package let details: [String: String]
    /// The number of consecutive occurrences of the same warning.
    package var times: Int

    package init(
        at: String, level: String, event: String? = nil, message: String, details: [String: String], times: Int = 1
    ) {
        self.at = at
        self.level = level
        self.event = event
        self.message = message
        self.details = details
        self.times = times
    }
}

/// A buffer of the last fifty warnings and errors, newest first.
package final class WarningRing: LogSink {
    package static let size = 50
    /// The maximum number of warnings with the same event, so that the mistakes of one publisher do not evict all other
    /// warnings.
    private static let mostOfEvent = 10
    private static let longestText = 300
    private static let mostDetails = 8

    private let warnings = Mutex<[LoggedWarning]>([])

    package init() {}

    package var all: [LoggedWarning] { warnings.withLock { $0.reversed() } }

    package func take(_ line: LogLine) {
        guard line.level >= .warning else { return }
        // The page's header already shows the worker's name.
        let details = line.metadata.filter { $0.key != "worker" }.sorted { $0.key < $1.key }.prefix(Self.mostDetails)
            .map {
                (Self.cut($0.key), Self.cut("\($0.value)"))
            }
        let warning = LoggedWarning(
            at: line.at.rfc3339, level: line.level.rawValue, event: line.event?.name, message: Self.cut(line.message),
            details: Dictionary(details) { first, _ in first })
        warnings.withLock { warnings in
            if let last = warnings.last, last.level == warning.level, last.message == warning.message,
                last.details == warning.details
            {
                warnings[warnings.count - 1].at = warning.at
                warnings[warnings.count - 1].times += 1
                return
            }
            warnings.append(warning)
            let alike = warnings.indices.filter { warnings[$0].event == warning.event && warning.event != nil }
            if alike.count > Self.mostOfEvent { warnings.remove(at: alike[0]) }
            if warnings.count > Self.size { warnings.removeFirst() }
        }
    }

    private static func cut(_ text: String) -> String {
        text.utf8.count > longestText ? String(text.prefix(longestText)) + "…" : text
    }
}
