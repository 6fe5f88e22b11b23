package import Foundations
import Logging
package import PushModel

/// A filter that limits repeated log lines. It passes one line per minute for each event, object (such as an app) and
/// reason, and counts the remaining lines. When the minute is over, a summary line reports their number, with the text
/// of the first counted line. The summary counts as the one line of the next minute. A value type without clock or I/O.
package struct RepetitionLimit {
    /// The event and the metadata values that make two lines repetitions of each other.
    struct Subject: Hashable {
        let event: EventName
        let values: [String]

        /// The metadata keys that identify the object of a line. The ids of jobs are not included.
        private static let keys = [
            "app", "credential", "service", "endpoint", "origin", "environment", "topic", "broker", "exchange",
        ]
        /// The metadata keys of lists that come from the worker's own topology. The values of these keys are compared
        /// in full, because two lists may differ only at their ends.
        private static let lists = ["queues", "exchanges", "lost"]
        static let longest = 200

        init(_ event: EventName, _ metadata: Logger.Metadata) {
            self.event = event
            values =
                (Self.keys + [metadata["reason"] == nil ? "error" : "reason"]).map {
                    metadata[$0].map { String("\($0)".prefix(Self.longest)) } ?? ""
                } + Self.lists.map { metadata[$0].map { "\($0)" } ?? "" }
        }

        /// Creates the subject that all further lines of an event share when the maximum number of subjects is reached.
        init(othersOf event: EventName) {
            self.event = event
            values = []
        }

        /// The metadata of the summary line.
        var metadata: Logger.Metadata {
            var metadata: Logger.Metadata = [:]
            for (key, value) in zip(Self.keys + ["reason"] + Self.lists, values) where !value.isEmpty {
                metadata[key] = "\(value)"
            }
            return metadata
        }
    }

    private struct Minute {
        let end: Int64
        var held = 0
        /// The level of the first counted line.
        var level = Logger.Level.warning
        var message = ""
    }

    package static let milliseconds: Int64 = 60_000
    /// The maximum number of subjects. It is limited because subjects contain names that publishers choose. When it is
    /// reached, all lines of an event with new subjects are counted together.
    package static let mostSubjects = 1_000

    private var minutes: [Subject: Minute] = [:]
    private var clearedAt = Int64.min

    package init() {}

    package var subjects: Int { minutes.count }

    /// Returns whether to log a line now. If not, the line is counted for the next summary.
    package mutating func isDue(_ line: LogLine, of event: EventName, now: Int64) -> Bool {
        var subject = Subject(event, line.metadata)
        if minutes[subject] == nil, minutes.count >= Self.mostSubjects {
            clear(now)
            if minutes.count >= Self.mostSubjects { subject = Subject(othersOf: event) }
        }
        guard var minute = minutes[subject], minute.held > 0 || now < minute.end else {
            minutes[subject] = Minute(end: now + Self.milliseconds)
            return true
        }
        if minute.held == 0 {
            minute.level = line.level
            minute.message = String(line.message.prefix(Subject.longest))
        }
        minute.held += 1
        minutes[subject] = minute
        return false
    }

    /// The time at which the next summary is due, in milliseconds of uptime, or `nil` if no line was counted.
    package var nextDue: Int64? { minutes.values.lazy.filter { $0.held > 0 }.map(\.end).min() }

    /// Returns the summaries that are due, and begins a new minute for each of them.
    ///
    /// - Parameter all: whether to include summaries of minutes that are not over.
    package mutating func takeDue(now: Int64, at: Timestamp, all: Bool = false) -> [LogLine] {
        var lines: [LogLine] = []
        for (subject, minute) in minutes where minute.held > 0 && (all || now >= minute.end) {
            minutes[subject] = Minute(end: now + Self.milliseconds)
            var metadata = subject.metadata
            metadata["repeated"] = .stringConvertible(minute.held)
            lines.append(
                LogLine(
                    at: at, level: minute.level, event: subject.event,
                    message: "\(minute.message) … \(minute.held) more like this", metadata: metadata))
        }
        return lines
    }

    /// Removes subjects whose minute is over, unless they have counted lines for a summary. Runs at most once per
    /// second, because it visits all subjects.
    private mutating func clear(_ now: Int64) {
        guard clearedAt == .min || now - clearedAt >= 1_000 else { return }
        clearedAt = now
        minutes = minutes.filter { $1.held > 0 || now < $1.end }
    }
}
